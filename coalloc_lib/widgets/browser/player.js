/**
 * The schedule player, which plays finished schedules with one clock.
 *
 * anywidget calls `render`. A saved page calls it too, with a replacement for the model. A picture
 * depends only on the instant and is drawn again for each frame, so playing, stepping and dragging
 * show the same. The data of a schedule, called a film here, are made in player_data.py. These
 * files are joined into one module in pages.py.
 */

import { clamp, create, lastUpTo, listed } from "./basics.js";
import { Controls } from "./controls.js";
import { Film } from "./film.js";
import { Scene } from "./scene.js";
import { Strip } from "./strip.js";

/** The seconds in which a whole view passes at speed 1, and the seconds between two events for a reader who
 * has asked the browser for reduced motion. */
const CROSSING = 20;
const HOP = 0.8;
/** The share of a moving view that shows the past. The rest shows when the running jobs will end. */
const PAST = 0.7;

/** The player: it has the clock, the controls and the selection of the reader. */
class Player {
  constructor(model, el) {
    this.model = model;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.picked = this.hovered = null;
    this.build(el);
    this.load();
    this.changes = {
      "change:data": () => this.load(),
      "change:now": () => model.get("now") !== this.now && this.seek(model.get("now")),
      "change:playing": () => this.play(model.get("playing")),
    };
    for (const [name, change] of Object.entries(this.changes)) model.on(name, change);
    this.observer = new ResizeObserver(() => this.lay());
    this.observer.observe(this.root);
    if (model.get("playing")) this.play(true);
  }

  destroy() {
    cancelAnimationFrame(this.request);
    this.observer.disconnect();
    for (const [name, change] of Object.entries(this.changes)) this.model.off(name, change);
  }

  build(el) {
    this.scenesNode = create("div");
    this.stripNode = create("div");
    this.tip = create("div", { class: "cp-tip", hidden: "" });
    this.live = create("div", { class: "cp-live", role: "status", "aria-live": "polite" });
    this.controls = new Controls(this);
    this.root = create(
      "div", { class: "coalloc-player", role: "application", tabindex: "0" },
      this.scenesNode, this.stripNode, this.controls.node, this.tip, this.live,
    );
    el.append(this.root);
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") this.point(event, false);
    });
    this.root.addEventListener("pointerleave", () => this.light("hovered", null));
    this.scenesNode.addEventListener("click", (event) => this.point(event, true));
  }

  /** Take the present data of the model. The instant stays, or remains the end of the schedules. */
  load() {
    const data = this.model.get("data");
    const isAtEnd = this.axis && this.now >= this.axis.finish;
    this.films = data.films.map((film) => new Film(film));
    Object.assign(this, { axis: data.axis, unit: data.unit, bound: data.bound, idle: data.idle });
    this.instants = [...new Set(this.films.flatMap((film) => film.instants))].sort((a, b) => a - b);
    this.scenes = this.films.map((film, place) => new Scene(this, film, place));
    this.scenesNode.replaceChildren(...this.scenes.map((scene) => scene.node));
    this.strip = new Strip(this);
    this.stripNode.replaceChildren(this.strip.svg);
    const labels = listed(this.films.map((film) => film.label));
    this.root.setAttribute("aria-label", `schedule player: ${labels}`);
    const film = this.films[0];
    const [sent, all] = [film.jobs.number.length, film.of].map((n) => n.toLocaleString("en"));
    this.controls.lay(this.axis, film.of ? `plays ${sent} of ${all} jobs · ` : "");
    const now = isAtEnd ? this.axis.finish : (this.now ?? this.model.get("now"));
    this.now = clamp(now, this.axis.begin, this.axis.finish);
    this.picked = this.hovered = null;
    this.lay();
  }

  /** Calculate the layout, which depends on the width. */
  lay() {
    const width = this.root.clientWidth - 24;
    if (width <= 0) return; // The player is not visible yet. The observer calls this function again.
    const narrow = width < 600;
    const queue = narrow ? 60 : 128;
    const frame = { width, narrow, queue, x0: queue + (narrow ? 36 : 92), x1: width - 16 };
    this.root.style.setProperty("--cp-left", `${frame.x0}px`);
    this.root.classList.toggle("cp-narrow", narrow);
    this.root.classList.toggle("cp-flat", !narrow && this.films.length > 2);
    this.frame = frame;
    const total = this.axis.finish - this.axis.begin;
    const wanted = (this.axis.view * (frame.x1 - frame.x0)) / 800;
    this.span = wanted > 0.75 * total ? total : wanted;
    const power = Math.floor(Math.log10(this.span / 10));
    const digits = clamp(1 - power, 0, 6);
    const exactly = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    this.format = new Intl.NumberFormat("en", exactly);
    this.view = this.viewAt(this.now);
    for (const part of [...this.scenes, this.strip]) part.lay(frame);
    this.draw();
  }

  viewAt(now) {
    const { x0, x1 } = this.frame;
    const { begin, finish } = this.axis;
    const left = clamp(now - PAST * this.span, begin, finish - this.span);
    const scale = (x1 - x0) / this.span;
    const x = (t) => x0 + (t - left) * scale;
    const world = (t) => (t - begin) * scale;
    return { left, right: left + this.span, begin, scale, x, world, moves: this.span < finish - begin };
  }

  /** Return an instant as a text with its unit. */
  time(t) {
    return `${this.format.format(t)}${this.unit ? ` ${this.unit}` : ""}`;
  }

  draw() {
    if (!this.frame) return;
    this.view = this.viewAt(this.now);
    for (const part of [...this.scenes, this.strip]) part.draw(this.now, this.view);
    this.controls.draw(this.now, this.time(this.now), this.playing);
    this.drawTip();
  }

  seek(now) {
    this.now = clamp(now, this.axis.begin, this.axis.finish);
    this.draw();
  }

  /** Stop, go to an instant, and describe it. */
  halt(now) {
    this.play(false);
    this.seek(now);
    const told = ({ film, event, why }) =>
      [this.films.length > 1 ? film.label : "", event.textContent, why.textContent].filter(Boolean);
    this.live.textContent = this.scenes.flatMap(told).join(". ");
    this.tell("now", this.now);
  }

  tell(name, value) {
    if (this.model.get(name) === value) return;
    this.model.set(name, value);
    this.model.save_changes();
  }

  step(by) {
    const at = lastUpTo(this.instants, this.now);
    const place = by < 0 && this.instants[at] < this.now ? at : at + by;
    this.halt(this.instants[clamp(place, 0, this.instants.length - 1)]);
  }

  toEnd(side) {
    this.halt(side < 0 ? this.axis.begin : this.axis.finish);
  }

  play(playing) {
    if (Boolean(this.playing) === playing) return;
    this.playing = playing;
    if (playing && this.now >= this.axis.finish) this.now = this.axis.begin;
    this.tell("playing", playing);
    cancelAnimationFrame(this.request);
    this.before = undefined;
    if (playing) this.request = requestAnimationFrame((stamp) => this.tick(stamp));
    else this.tell("now", this.now);
    this.draw();
  }

  tick(stamp) {
    const passed = (Math.min(stamp - (this.before ?? stamp), 100) / 1000) * this.controls.pace();
    this.before = stamp;
    if (this.still.matches) this.hop(passed);
    else this.seek(this.now + (passed * this.span) / CROSSING);
    if (this.now >= this.axis.finish) this.halt(this.axis.finish);
    else this.request = requestAnimationFrame((next) => this.tick(next));
  }

  /** Advance from event to event, for a reader who has asked the browser for reduced motion. */
  hop(passed) {
    this.rested = (this.rested ?? 0) + passed;
    if (this.rested < HOP) return;
    this.rested = 0;
    this.seek(this.instants[lastUpTo(this.instants, this.now) + 1] ?? this.axis.finish);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.target.tagName === "BUTTON" && [" ", "Enter"].includes(event.key);
    if (onButton || event.target === this.controls.speed) return;
    const actions = {
      " ": () => this.play(!this.playing),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      Home: () => this.toEnd(-1),
      End: () => this.toEnd(1),
      ArrowUp: () => this.controls.faster(1),
      ArrowDown: () => this.controls.faster(-1),
      n: () => this.walk(1),
      p: () => this.walk(-1),
      Escape: () => this.light("picked", null),
    };
    if (!actions[event.key]) return;
    // JupyterLab would otherwise use these keys for its own shortcuts.
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  point(event, pick) {
    const node = event.target.closest?.("[data-job]");
    const at = node && { film: Number(node.closest("svg").dataset.film), job: Number(node.dataset.job) };
    this.light(pick ? "picked" : "hovered", at);
  }

  light(how, at) {
    if (!at && !this[how]) return;
    this[how] = at;
    this.draw();
  }

  /** Return the fill colour and the text colour of the job with this number. */
  colours(number) {
    const { colours } = this.model.get("data");
    const last = colours.length;
    return colours[(((number - 1) % last) + last) % last]; // The numbers of a log may begin at 0.
  }

  isLit(number) {
    const at = this.hovered ?? this.picked;
    return at !== null && this.films[at.film].jobs.number[at.job] === number;
  }

  /** Select the next job among those that wait, run, or are still in the picture. */
  walk(by) {
    const film = this.picked?.film ?? 0;
    const { submit, left, end } = this.films[film].jobs;
    const seen = [...submit.keys()].filter(
      (j) => submit[j] <= this.now && (left[j] > this.now || end[j] > this.view.left),
    );
    if (!seen.length) return;
    const at = this.picked ? seen.indexOf(this.picked.job) : by > 0 ? -1 : seen.length;
    this.light("picked", { film, job: seen[(at + by + seen.length) % seen.length] });
    this.live.textContent = this.tip.innerText;
  }

  drawTip() {
    const at = this.hovered ?? this.picked;
    const node = at && this.scenes[at.film].svg.querySelector(`[data-job="${at.job}"]`);
    this.tip.hidden = !node;
    if (!node) return;
    const text = JSON.stringify(this.films[at.film].facts(at.job, this.now, (t) => this.time(t)));
    if (text !== this.tipText) this.writeTip(text, this.films[at.film].jobs.number[at.job]);
    this.tipText = text;
    this.placeTip(node.getBoundingClientRect());
  }

  /** Place the description over the future, where it hides least; on a narrow screen, above or below the box. */
  placeTip(box) {
    const root = this.root.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const [from, to] = [box.left - root.left, box.right - root.left];
    const free = root.width - width - 20;
    let [left, top] = [to + 8 < free ? free : Math.max(from - width - 8, 8), box.top - root.top];
    if (this.frame.narrow) {
      left = clamp(from, 8, root.width - width - 8);
      top = top > height + 8 ? top - height - 8 : box.bottom - root.top + 8;
    }
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${clamp(top, 8, Math.max(root.height - height - 8, 8))}px`;
  }

  writeTip(text, number) {
    const { facts, reasons } = JSON.parse(text);
    const cells = facts.flatMap(([name, value]) => [create("i", {}, name), create("span", {}, value)]);
    this.tip.replaceChildren(
      create("b", { style: `border-color:${this.colours(number)[0]}` }, `job ${number}`),
      create("div", { class: "cp-facts" }, ...cells),
      ...reasons.map((reason) => create("div", {}, reason)),
    );
  }
}

function render({ model, el }) {
  const player = new Player(model, el);
  return () => player.destroy();
}

export default { render };
