/**
 * A page without a kernel: players play, the calendar shows what it holds and books nothing.
 *
 * Each widget stands where a box with its name and its state is; the box has a still picture for
 * where no script runs.
 */

/** What stands for a kernel's model, which a widget asks for its state and tells of a reader. */
function standIn(state) {
  const acts = [];
  const needsPython = "Python books, and none runs behind this page; in JupyterLab it does";
  return {
    get: (name) => state[name],
    set(name, value) {
      state[name] = value;
    },
    on: (name, act) => name === "change:data" && acts.push(act),
    off() {},
    save_changes() {},
    send() {
      const said = { words: needsPython, kind: "wrong", field: "" };
      state.data = { ...state.data, said, made: null, found: null };
      acts.forEach((act) => act());
    },
  };
}

function showAll(widgets) {
  for (const box of document.querySelectorAll("[data-coalloc]")) {
    const state = JSON.parse(box.querySelector("script").textContent);
    box.replaceChildren();
    widgets[box.dataset.coalloc].render({ model: standIn(state), el: box });
  }
}
