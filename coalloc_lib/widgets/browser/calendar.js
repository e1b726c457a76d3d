/**
 * The reservation calendar: the rows of the servers, the form, and the selection of a reader.
 *
 * Python books and searches. This script draws the data that Python sends, and reports the actions
 * of the reader as messages {do: submit | free | cancel | load}. The data are made in
 * reservations.py.
 */

import { create } from "./basics.js";
import { Bands } from "./bands.js";
import { Form } from "./form.js";

class Calendar {
  constructor(model, el) {
    this.model = model;
    this.picked = this.tried = null;
    this.build(el);
    this.load = () => this.take();
    this.take();
    model.on("change:data", this.load);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.root);
  }

  destroy() {
    this.observer.disconnect();
    this.model.off("change:data", this.load);
  }

  build(el) {
    this.bands = new Bands(this);
    this.form = new Form(this);
    this.title = create("b");
    this.hint = create("span", { class: "cp-event" });
    this.said = create("div", { class: "cc-said", role: "status", "aria-live": "polite" });
    this.facts = create("div", { class: "cc-facts" });
    const keys = "drag over the rows to ask who is free, and to fill in a request; click a box, or n p; Delete cancels; ↑ ↓ attempts";
    this.root = create(
      "div",
      { class: "coalloc-player coalloc-calendar", role: "application", tabindex: "0", "data-lm-suppress-shortcuts": "true" },
      create("div", { class: "cp-head" }, this.title, this.hint),
      // The form is above all parts whose height changes, so that it does not move away from the pointer.
      this.form.node, this.said, this.facts, this.bands.svg, create("div", { class: "cp-hint" }, keys),
    );
    el.append(this.root);
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  /** Take the data that Python sent. The selected reservation stays selected if it still exists. */
  take() {
    const number = this.data?.bookings[this.picked]?.number;
    this.data = this.model.get("data");
    this.words = this.data.said.words;
    if (!this.form.rule) this.form.build(this.data);
    const place = this.data.bookings.findIndex((booking) => booking.number === (this.data.made ?? number));
    this.picked = place < 0 || this.data.said.kind === "rejected" ? null : place;
    this.tried = null;
    this.title.textContent = this.data.title;
    this.hint.textContent = this.data.legend;
    this.root.setAttribute("aria-label", `reservation calendar: ${this.data.title}`);
    this.draw();
  }

  draw() {
    const width = this.root.clientWidth - 24;
    this.said.textContent = this.words;
    this.said.className = `cc-said cc-${this.data.said.kind}`;
    const booking = this.data.bookings[this.picked];
    this.facts.textContent = booking ? this.factsOf(booking) : "";
    this.form.draw(this.data, booking);
    if (width <= 0) return; // The calendar is not visible yet. The observer calls this function again.
    const narrow = width < 600;
    this.root.classList.toggle("cp-narrow", narrow);
    this.bands.lay(width, narrow);
    this.bands.draw();
  }

  factsOf(booking) {
    return `${booking.said}: ${this.bands.names(booking.servers)}`;
  }

  tell(message) {
    this.model.send(message);
  }

  search(start, end) {
    this.form.fill({ begin: start, end });
    const { now, until } = this.data;
    if (now <= start && end <= until) this.form.fill({ start, length: Number((end - start).toPrecision(12)) });
    this.tell({ do: "free", begin: start, end });
  }

  cancel() {
    const booking = this.data.bookings[this.picked];
    if (booking?.mine) this.tell({ do: "cancel", number: booking.number });
  }

  /** Select a reservation, or none. Without a selection, the last message of Python is shown again. */
  pick(place, words = this.data.said.words) {
    Object.assign(this, { picked: place, words });
    this.draw();
  }

  pickTry(place, words = this.data.said.words) {
    if (place === this.tried) return;
    Object.assign(this, { tried: place, words });
    this.draw();
  }

  /** Select the next reservation; the first one comes after the last one. */
  walk(by) {
    const count = this.data.bookings.length;
    if (!count) return;
    const place = this.picked === null ? (by > 0 ? 0 : count - 1) : (this.picked + by + count) % count;
    this.pick(place, this.factsOf(this.data.bookings[place]));
  }

  walkTries(by) {
    const { tried } = this.data;
    if (!tried.length) return;
    const at = this.tried ?? (by > 0 ? -1 : 0);
    const place = (at + by + tried.length) % tried.length;
    this.pickTry(place, `attempt ${place + 1}, ${tried[place].when}: ${tried[place].said}`);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.root) return;
    const actions = {
      n: () => this.walk(1),
      p: () => this.walk(-1),
      ArrowDown: () => this.walkTries(1),
      ArrowUp: () => this.walkTries(-1),
      Delete: () => this.cancel(),
      Escape: () => this.pick(null),
    };
    if (!actions[event.key]) return;
    // JupyterLab would otherwise use these keys for its own shortcuts.
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }
}

function render({ model, el }) {
  const calendar = new Calendar(model, el);
  return () => calendar.destroy();
}

export default { render };
