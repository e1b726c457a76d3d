/** A picture with text. When it changes, the parts that can be unfolded stay as the reader left them. */
function render({ model, el }) {
  const parts = () => [...el.querySelectorAll("details")];
  let left = [];
  const show = () => {
    // A picture may be empty for a moment, so the last parts that there were count.
    if (parts().length) left = parts().map((part) => part.open);
    el.innerHTML = model.get("value");
    parts().forEach((part, i) => (part.open = left[i] ?? part.open));
  };
  // anywidget does not pass later changes of the classes on to the element.
  const fade = () => el.classList.toggle("coalloc-past", model.get("_dom_classes").includes("coalloc-past"));
  const changes = { "change:value": show, "change:_dom_classes": fade };
  for (const [name, change] of Object.entries(changes)) {
    model.on(name, change);
    change();
  }
  return () => Object.entries(changes).forEach(([name, change]) => model.off(name, change));
}

export default { render };
