/** A picture with text. When it changes, the parts that can be unfolded stay as the reader left them. */
function render({ model, el }) {
  const show = () => {
    const before = [...el.querySelectorAll("details")].map((part) => part.open);
    el.innerHTML = model.get("value");
    [...el.querySelectorAll("details")].forEach((part, i) => (part.open = before[i] ?? part.open));
  };
  model.on("change:value", show);
  show();
  return () => model.off("change:value", show);
}

export default { render };
