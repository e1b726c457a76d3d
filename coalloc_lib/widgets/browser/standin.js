/**
 * The script of a page without a kernel: players play, and the calendar shows its reservations but
 * books nothing.
 *
 * Each widget replaces the content of the box that has its name and its state. The content is a
 * still picture for browsers that run no scripts.
 */

/** A replacement for the model of a kernel, which gives a widget its state and takes its changes. */
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
    const stored = box.querySelector("script");
    if (stored === null) continue; // No state was stored, so the still picture stays.
    const state = JSON.parse(stored.textContent);
    box.replaceChildren();
    widgets[box.dataset.coalloc].render({ model: standIn(state), el: box });
  }
}
