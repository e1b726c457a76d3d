/**
 * The schedule player: finished schedules, played under one clock.
 *
 * anywidget calls `render`; a saved page calls it too, with a stand-in for the model. A picture
 * depends on the instant alone and is drawn anew for each frame, so that playing, stepping and
 * dragging cannot differ. What a film holds is told in film.py.
 */

const SVG = "http://www.w3.org/2000/svg";
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
/** Seconds in which a view passes at speed 1, and between events where motion is unwelcome. */
const CROSSING = 20;
const HOP = 0.8;
/** Of a view that moves, so much is past; the rest shows when those that run will end. */
const PAST = 0.7;
const DASHES = ["", "2 3", "8 3", "8 3 2 3"];
const ICONS = {
  first: "M3 3v10M13 3 8.5 8l4.5 5zM8.5 3 4 8l4.5 5z",
  back: "M4 3v10M13 3 6 8l7 5z",
  play: "M4 2.5 14 8 4 13.5z",
  pause: "M4.5 3v10h2.5v-10zM9.5 3v10h2.5v-10z",
  on: "M12 3v10M3 3l7 5-7 5z",
  last: "M13 3v10M3 3l4.500 5L3 13zM7.500 3 12 8l-4.500 5z",
};

function create(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

/** The place of the last entry that is not above `value`; -1 where there is none. */
function lastUpTo(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function listed(items) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

function percent(share) {
  return Number.isFinite(share) ? `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %` : "–";
}

/** Round instants at which an axis of so many pixels is marked. */
function ticks(begin, finish, pixels) {
  const least = ((finish - begin) * 75) / Math.max(pixels, 75);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least * 0.999);
  const first = Math.ceil(begin / step - 1e-9);
  const count = Math.floor(finish / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, i) => (first + i) * step);
}

/** SVG nodes by key: those asked for again stay, the others go. Equal attributes are not set. */
class Pool {
  constructor(parent) {
    this.parent = parent;
    this.nodes = new Map();
    this.round = 0;
  }

  put(key, tag, attributes, text) {
    let entry = this.nodes.get(key);
    if (!entry) {
      entry = { node: document.createElementNS(SVG, tag), was: {} };
      this.parent.append(entry.node);
      this.nodes.set(key, entry);
    }
    entry.round = this.round;
    for (const [name, given] of Object.entries(attributes)) {
      const value = typeof given === "number" ? Math.round(given * 100) / 100 : given;
      if (entry.was[name] !== value) entry.node.setAttribute(name, (entry.was[name] = value));
    }
    if (text !== undefined && entry.text !== text) entry.node.textContent = entry.text = text;
  }

  /** End a picture: remove what it did not ask for. */
  sweep() {
    for (const [key, entry] of this.nodes) {
      if (entry.round === this.round) continue;
      entry.node.remove();
      this.nodes.delete(key);
    }
    this.round += 1;
  }
}

/** One schedule, as it is sent, and what it says of an instant. */
class Film {
  constructor(data) {
    Object.assign(this, data);
    this.processors = this.clusters.reduce((sum, size) => sum + size, 0);
  }

  place(now) {
    return Math.max(lastUpTo(this.instants, now), 0);
  }

  /** The share of processor-time that was idle while a job waited, up to now. */
  share(now) {
    const i = this.place(now);
    const next = Math.min(i + 1, this.instants.length - 1);
    const length = this.instants[next] - this.instants[i];
    const part = length > 0 ? Math.min((now - this.instants[i]) / length, 1) : 0;
    const area = this.area[i] + part * (this.area[next] - this.area[i]);
    return area / (this.processors * (now - this.origin));
  }

  /** The jobs that wait, in order of the queue. */
  queue(now) {
    const { submit, left } = this.jobs;
    return [...submit.keys()].filter((j) => submit[j] <= now && left[j] > now);
  }

  /** What happened at one of the instants, in words. */
  happened(place) {
    const { number, submit, start, end, left } = this.jobs;
    const at = this.instants[place];
    const say = (those, one, many) => {
      const jobs = [...number.keys()].filter(those).map((j) => number[j]);
      if (jobs.length < 2) return jobs.map((job) => `job ${job} ${one}`);
      return [jobs.length > 6 ? `${jobs.length} jobs ${many}` : `jobs ${listed(jobs)} ${many}`];
    };
    return [
      say((j) => end[j] === at, "ends", "end"),
      say((j) => submit[j] === at && start[j] === at, "is submitted and starts", "are submitted and start"),
      say((j) => submit[j] < at && start[j] === at, "starts", "start"),
      say((j) => submit[j] === at && left[j] > at, "is submitted and waits", "are submitted and wait"),
      say((j) => left[j] === at && start[j] === null, "is turned away", "are turned away"),
    ].flat().join("; ");
  }
}

/** The queue, the clusters and the submissions of one film. */
class Scene {
  constructor(player, film, place) {
    Object.assign(this, { player, film, place });
    this.label = create("b", {}, film.label);
    this.event = create("span", { class: "cp-event" });
    this.why = create("div", { class: "cp-why" });
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.dataset.film = place;
    this.node = create(
      "div", { class: "cp-scene" },
      create("div", { class: "cp-head" }, this.label, this.event), this.why, this.svg,
    );
    const unique = Math.random().toString(36).slice(2);
    this.hatch = `url(#hatch-${unique})`;
    this.svg.innerHTML = `<defs>
      <pattern id="hatch-${unique}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" class="cp-hatch"/><path d="M0 0V6" class="cp-stroke"/>
      </pattern>
      <clipPath id="boxes-${unique}"><rect/></clipPath><clipPath id="marks-${unique}"><rect/></clipPath></defs>
      <g data-layer="back"/>
      <g clip-path="url(#boxes-${unique})">
        <g class="cp-moving"><g data-layer="boxes"/><g data-layer="numbers"/></g>
      </g>
      <g clip-path="url(#marks-${unique})"><g class="cp-moving" data-layer="marks"/></g>
      <g data-layer="front"/>`;
    this.clips = this.svg.querySelectorAll("clipPath rect");
    this.moving = this.svg.querySelectorAll(".cp-moving");
    this.layers = {};
    for (const node of this.svg.querySelectorAll("[data-layer]")) {
      this.layers[node.dataset.layer] = new Pool(node);
    }
  }

  /** Fix what depends on the width alone. */
  lay(frame) {
    const { film } = this;
    const many = film.clusters.length;
    const gap = many > 8 ? 3 : 12;
    const height = Math.max(this.player.films.length > 1 ? 128 : 230, 15 * many);
    this.frame = frame;
    this.told = undefined;
    this.top = 18;
    this.scale = Math.min(height / film.processors, 22);
    let y = this.top;
    this.bands = film.clusters.map((size) => {
      const band = { y, height: size * this.scale };
      y += band.height + gap;
      return band;
    });
    this.bottom = y - gap;
    this.svg.setAttribute("width", frame.width);
    this.svg.setAttribute("height", this.bottom + 26);
    [0, 10].forEach((margin, i) => {
      const { x0, x1 } = frame;
      const box = { x: x0 - margin, y: 0, width: x1 - x0 + 2 * margin, height: this.bottom + 40 };
      for (const [name, value] of Object.entries(box)) this.clips[i].setAttribute(name, value);
    });
    this.marked = this.marksWithNumbers();
  }

  /** The jobs whose number stands at their submission: as many as do not touch. */
  marksWithNumbers() {
    const { submit, number } = this.film.jobs;
    const pixels = this.player.view.scale;
    const marked = new Set();
    let free = -Infinity;
    for (const j of submit.keys()) {
      const half = 3.5 * `${number[j]}`.length;
      if (submit[j] * pixels - half < free) continue;
      marked.add(j);
      free = submit[j] * pixels + half + 4;
    }
    return marked;
  }

  draw(now, view) {
    const { film } = this;
    const place = film.place(now);
    if (place !== this.told) this.event.textContent = this.tell(place);
    this.told = place;
    // What moves lies in a layer of its own, where only what runs has to be drawn anew.
    for (const layer of this.moving) layer.setAttribute("transform", `translate(${view.x(view.begin).toFixed(2)} 0)`);
    this.drawBands();
    this.layers.boxes.put("idle", "path", { d: this.idlePath(now, view), fill: this.hatch });
    const { start, end } = film.jobs;
    for (const j of start.keys()) {
      const seen = start[j] !== null && start[j] <= Math.min(now, view.right) && end[j] > view.left;
      if (seen && end[j] > start[j]) film.jobs.boxes[j].forEach((box, k) => this.drawBox(j, k, box, now, view));
    }
    this.drawQueue(now);
    this.drawMarks(now, view);
    this.drawNow(now, view);
    for (const layer of Object.values(this.layers)) layer.sweep();
  }

  tell(place) {
    const event = this.film.happened(place);
    return event ? `${this.player.time(this.film.instants[place])}: ${event}` : "";
  }

  drawBands() {
    const { film, frame } = this;
    const { back } = this.layers;
    const small = frame.narrow || this.bands.some((band) => band.height < 26);
    film.clusters.forEach((size, c) => {
      const { y, height } = this.bands[c];
      const box = { x: frame.x0, y, width: frame.x1 - frame.x0, height, class: "cp-band" };
      back.put(`band ${c}`, "rect", box);
      const label = { x: frame.x0 - 8, y: y + height / 2 - (small ? 0 : 7), class: "cp-side" };
      back.put(`name ${c}`, "text", label, frame.narrow ? `${c + 1}` : `cluster ${c + 1}`);
      if (!small) back.put(`size ${c}`, "text", { ...label, y: label.y + 15 }, `${size} processors`);
    });
  }

  /** The clusters' whole height wherever a job waited; the boxes are drawn over it. */
  idlePath(now, view) {
    const { instants, waits } = this.film;
    let path = "";
    for (let i = Math.max(lastUpTo(instants, view.left), 0); instants[i] < now; i += 1) {
      if (!waits[i]) continue;
      const left = view.world(instants[i]);
      while (waits[i + 1] && instants[i + 1] < now) i += 1; // one spell
      const right = view.world(Math.min(instants[i + 1] ?? now, now));
      for (const { y, height } of this.bands) path += `M${left} ${y}H${right}v${height}H${left}z`;
    }
    return path;
  }

  drawBox(j, k, [cluster, first, count], now, view) {
    const { number, start, end } = this.film.jobs;
    const { boxes, numbers } = this.layers;
    const [fill, ink] = this.player.colours(number[j]);
    const y = this.bands[cluster].y + first * this.scale;
    const height = count * this.scale;
    const [x, until, last] = [start[j], Math.min(end[j], now), end[j]].map(view.world);
    const box = { y, height, fill, rx: 2, "data-job": j, "stroke-width": Math.min(1.5, height / 4) };
    if (end[j] > now) {
      boxes.put(`rest ${j} ${k}`, "rect", { ...box, x: until, width: last - until, class: "cp-box cp-rest" });
    }
    boxes.put(`box ${j} ${k}`, "rect", { ...box, x, width: until - x, class: "cp-box" });
    if (this.player.isLit(number[j])) {
      numbers.put(`lit ${j} ${k}`, "rect", { x, y, width: last - x, height, rx: 2, class: "cp-lit" });
    }
    const text = `${number[j]}`;
    const left = Math.max(x, view.world(view.left));
    if (until - left < 7.5 * text.length + 7 || height < 12) return;
    const label = { x: left + 5, y: y + height / 2, style: `fill:${ink}`, class: "cp-number" };
    numbers.put(`number ${j} ${k}`, "text", label, text);
  }

  /** The queue, its head next to the clusters; each component as high as it will be there. */
  drawQueue(now) {
    const { film, frame } = this;
    const waiting = film.queue(now);
    const digits = Math.max(...waiting.map((j) => `${film.jobs.number[j]}`.length), 1);
    const step = Math.max(18, 7 * digits + 5);
    const room = Math.max(Math.floor((frame.queue - 4) / step), 1);
    const shown = waiting.slice(0, room);
    const total = film.waits[film.place(now)];
    shown.forEach((j, i) => this.drawWaiting(j, frame.queue - (i + 1) * step, step - 5, i === 0));
    const head = film.jobs.number[waiting[0]];
    this.why.textContent = head === undefined ? "" : `job ${head} ${film.words[film.why[film.place(now)]]}`;
    const count = { x: frame.queue - 5, y: this.bottom + 13, class: "cp-count" };
    const more = total - shown.length;
    this.layers.back.put("count", "text", count, more ? `… ${frame.narrow ? "" : "and "}${more} more` : "");
  }

  drawWaiting(j, x, width, isHead) {
    const { film } = this;
    const { back, front } = this.layers;
    const number = film.jobs.number[j];
    const [fill] = this.player.colours(number);
    back.put(`waiting ${j}`, "text", { x: x + width / 2, y: this.top - 9, class: "cp-above" }, `${number}`);
    let y = this.top;
    film.jobs.asked[j].forEach((size, i) => {
      if (!size) return;
      if (film.ordered) y = this.bands[i].y;
      const height = Math.max(size * this.scale - (isHead ? 0 : 0.5), 2);
      const name = `cp-waits${isHead ? " cp-first" : ""}`;
      back.put(`waiting ${j} ${i}`, "rect", { x, y, width, height, fill, rx: 2, class: name, "data-job": j });
      if (this.player.isLit(number)) {
        front.put(`lit waiting ${j} ${i}`, "rect", { x, y, width, height, rx: 2, class: "cp-lit" });
      }
      y += size * this.scale + 4;
    });
  }

  drawMarks(now, view) {
    const { submit, number } = this.film.jobs;
    const { marks } = this.layers;
    const margin = 10 / view.scale;
    for (const j of submit.keys()) {
      if (submit[j] > now || submit[j] < view.left - margin) continue;
      const x = view.world(submit[j]);
      const mark = { d: `M${x} ${this.bottom + 3}v8`, stroke: this.player.colours(number[j])[0], class: "cp-mark" };
      marks.put(`mark ${j}`, "path", mark);
      if (!this.marked.has(j)) continue;
      marks.put(`mark of ${j}`, "text", { x, y: this.bottom + 19, class: "cp-small" }, `${number[j]}`);
    }
  }

  drawNow(now, view) {
    const { frame, top } = this;
    const { front } = this.layers;
    const x = view.x(now);
    front.put("now", "path", { d: `M${x} ${top - 4}V${this.bottom + 3}`, class: "cp-now" });
    const label = { x: clamp(x, frame.x0 + 30, frame.x1 - 30), y: top - 10, class: "cp-above" };
    front.put("now is", "text", label, this.player.time(now));
  }
}

/** The running figure against all of the time, above the scrubber of the same width. */
class Strip {
  constructor(player) {
    this.player = player;
    this.svg = document.createElementNS(SVG, "svg");
    this.clip = `cp-past-${Math.random().toString(36).slice(2)}`;
    this.svg.innerHTML = `<defs><clipPath id="${this.clip}"><rect/></clipPath></defs>`;
    this.past = this.svg.querySelector("rect");
    this.pool = new Pool(this.svg.appendChild(document.createElementNS(SVG, "g")));
  }

  lay(frame) {
    const { films, axis, bound } = this.player;
    this.frame = frame;
    this.top = (this.player.view.moves ? 36 : 12) + (frame.narrow ? 6 + 16 * films.length : 0);
    this.height = 66;
    this.svg.setAttribute("width", frame.width);
    this.svg.setAttribute("height", this.top + this.height + 22);
    const span = axis.finish - axis.begin;
    const settled = [0.1, 0.2, 0.3, 0.5, 0.7, 1].map((part) => axis.begin + part * span);
    const shares = films.flatMap((film) => settled.map((t) => film.share(t))).filter(Number.isFinite);
    const most = Math.max(...shares, (bound ?? 0) * 1.3, 0.05) * 1.15;
    this.most = [0.1, 0.2, 0.4, 0.6, 0.8, 1].find((m) => m >= most) ?? 1;
    this.curves = films.map((film) => this.curve(film));
    Object.entries({ x: frame.x0, y: this.top - 2, height: this.height + 4 })
      .forEach(([name, value]) => this.past.setAttribute(name, value));
  }

  x(t) {
    const { axis } = this.player;
    return this.frame.x0 + ((t - axis.begin) / (axis.finish - axis.begin)) * (this.frame.x1 - this.frame.x0);
  }

  y(share) {
    return this.top + this.height * (1 - share / this.most);
  }

  curve(film) {
    const { axis } = this.player;
    const points = [];
    const count = Math.round(this.frame.x1 - this.frame.x0);
    for (let i = 1; i <= count; i += 1) {
      const t = axis.begin + (i / count) * (axis.finish - axis.begin);
      const share = film.share(t);
      if (t > film.origin && t <= film.finish) points.push(`${this.frame.x0 + i} ${this.y(share).toFixed(1)}`);
    }
    return points.length ? `M${points.join("L")}` : "";
  }

  draw(now, view) {
    const { pool, frame } = this;
    const base = this.top + this.height;
    if (view.moves) {
      this.drawAxis("view", view.left, view.right, (t) => view.x(t), 0);
      const seen = { x: this.x(view.left), width: this.x(view.right) - this.x(view.left) };
      pool.put("seen", "rect", { ...seen, y: this.top, height: this.height, class: "cp-seen" });
    }
    this.drawAxis("all", this.player.axis.begin, this.player.axis.finish, (t) => this.x(t), base);
    for (const share of [0, this.most / 2, this.most]) {
      const y = this.y(share);
      pool.put(`level ${share}`, "path", { d: `M${frame.x0} ${y}H${frame.x1}`, class: "cp-level" });
      pool.put(`share ${share}`, "text", { x: frame.x0 - 6, y, class: "cp-side cp-small" }, `${Math.round(100 * share)} %`);
    }
    this.drawBound();
    this.past.setAttribute("width", Math.max(this.x(now) - frame.x0, 0));
    this.curves.forEach((d, i) => {
      const line = { d, class: "cp-curve", "stroke-dasharray": DASHES[i], "clip-path": `url(#${this.clip})` };
      pool.put(`curve ${i}`, "path", line);
    });
    pool.put("now", "path", { d: `M${this.x(now)} ${this.top}V${base}`, class: "cp-now" });
    this.drawFigures(now);
    pool.sweep();
  }

  drawAxis(name, begin, finish, x, y) {
    const marks = ticks(begin, finish, this.frame.x1 - this.frame.x0);
    this.pool.put(`${name} line`, "path", { d: `M${this.frame.x0} ${y}H${this.frame.x1}`, class: "cp-axis" });
    marks.forEach((t, i) => {
      this.pool.put(`${name} tick ${t}`, "path", { d: `M${x(t)} ${y}v4`, class: "cp-axis" });
      const unit = i === marks.length - 1 && this.player.unit ? ` ${this.player.unit}` : "";
      const text = `${Number(t.toPrecision(9)).toLocaleString("en")}${unit}`;
      this.pool.put(`${name} at ${t}`, "text", { x: x(t), y: y + 13, class: "cp-small" }, text);
    });
  }

  drawBound() {
    const { bound } = this.player;
    if (bound === null) return;
    const y = this.y(bound);
    this.pool.put("bound", "path", { d: `M${this.frame.x0} ${y}H${this.frame.x1}`, class: "cp-bound" });
    // On the side of the line that the curve does not come from.
    const above = Math.max(...this.player.films.map((film) => film.share(film.finish))) < bound + 0.01;
    const label = { x: this.frame.x1, y: y + (above ? -9 : 10), class: "cp-side cp-loss" };
    this.pool.put("bound is", "text", label, `in the long run, by theory: ${(100 * bound).toFixed(1)} %`);
  }

  /** A figure, after a piece of its line where there are several. */
  drawFigure(i, y, text, size) {
    const several = this.curves.length > 1;
    const sample = { d: `M0 ${y}h24`, class: "cp-curve", "stroke-dasharray": DASHES[i] };
    if (several) this.pool.put(`sample ${i}`, "path", sample);
    this.pool.put(`figure ${i}`, "text", { x: several ? 30 : 0, y, class: `cp-figure ${size}` }, text);
  }

  /** The figures now: beside the axis, large where there is one; above it where that is narrow. */
  drawFigures(now) {
    const { films } = this.player;
    const { pool, frame } = this;
    const what = "idle while a job waits, so far";
    films.forEach((film, i) => {
      const share = percent(film.share(Math.min(now, film.finish)));
      const label = films.length > 1 ? film.label : "";
      if (frame.narrow) {
        const y = this.top - 4 - 16 * (films.length - i);
        this.drawFigure(i, y, `${share} ${label || what}`, "");
        return;
      }
      const y = this.top + 24 + (label ? 17 * i : 6);
      this.drawFigure(i, y, `${share} ${label}`, label ? "" : "cp-large");
    });
    if (!frame.narrow) pool.put("what", "text", { x: 0, y: this.top, class: "cp-what" }, what);
  }
}

/** The whole: the clock, the controls, and what the reader points at. */
class Player {
  constructor(model, el) {
    this.model = model;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.speed = 2;
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
    this.note = create("span");
    this.tip = create("div", { class: "cp-tip", hidden: "" });
    this.live = create("div", { class: "cp-live", role: "status", "aria-live": "polite" });
    this.scrubber = create("input", { type: "range", step: "any", "aria-label": "time" });
    this.root = create(
      "div", { class: "coalloc-player", role: "application", tabindex: "0" },
      this.scenesNode, this.stripNode, this.buildControls(), this.tip, this.live,
    );
    el.append(this.root);
    this.scrubber.addEventListener("input", () => this.halt(Number(this.scrubber.value)));
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.point(event, false));
    this.root.addEventListener("pointerleave", () => this.light("hovered", null));
    this.scenesNode.addEventListener("click", (event) => this.point(event, true));
  }

  buildControls() {
    const button = (icon, title, keys, action) => {
      const node = create("button", { type: "button", title: `${title} (${keys})`, "aria-label": title });
      node.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
      node.addEventListener("click", action);
      return node;
    };
    this.playButton = button("play", "play", "space", () => this.play(!this.playing));
    this.playButton.classList.add("cp-play");
    const speeds = SPEEDS.map((s, i) => create("option", { value: i }, `${s}×`));
    this.speedNode = create("select", { "aria-label": "speed", title: "speed (up, down)" }, ...speeds);
    this.faster(0);
    this.speedNode.addEventListener("change", () => { this.speed = Number(this.speedNode.value); });
    const keys = "space plays, ← → one event, ↑ ↓ speed, n p from job to job";
    return create(
      "div", { class: "cp-controls" },
      create(
        "div", { class: "cp-buttons" },
        button("first", "to the first event", "Home", () => this.toEnd(-1)),
        button("back", "one event back", "left", () => this.step(-1)),
        this.playButton,
        button("on", "one event on", "right", () => this.step(1)),
        button("last", "to the last event", "End", () => this.toEnd(1)),
        this.speedNode,
      ),
      create("div", { class: "cp-scrub" }, this.scrubber),
      create("div", { class: "cp-hint" }, this.note, keys),
    );
  }

  /** Take what the model holds now; the instant stays. */
  load() {
    const data = this.model.get("data");
    this.films = data.films.map((film) => new Film(film));
    Object.assign(this, { axis: data.axis, unit: data.unit, bound: data.bound });
    this.instants = [...new Set(this.films.flatMap((film) => film.instants))].sort((a, b) => a - b);
    this.scenes = this.films.map((film, place) => new Scene(this, film, place));
    this.scenesNode.replaceChildren(...this.scenes.map((scene) => scene.node));
    this.strip = new Strip(this);
    this.stripNode.replaceChildren(this.strip.svg);
    Object.assign(this.scrubber, { min: this.axis.begin, max: this.axis.finish });
    this.root.setAttribute("aria-label", `schedule player: ${listed(this.films.map((film) => film.label))}`);
    const film = this.films[0];
    const played = `plays ${film.jobs.number.length.toLocaleString("en")} of ${film.of.toLocaleString("en")} jobs · `;
    this.note.textContent = film.of ? played : "";
    this.now = clamp(this.now ?? this.model.get("now"), this.axis.begin, this.axis.finish);
    this.picked = this.hovered = null;
    this.lay();
  }

  /** Fix what depends on the width; times become places by `view`. */
  lay() {
    const width = this.root.clientWidth - 24;
    if (width <= 0) return; // not shown yet: the observer calls again
    const narrow = width < 600;
    const queue = narrow ? 60 : 128;
    const frame = { width, narrow, queue, x0: queue + (narrow ? 24 : 92), x1: width - 16 };
    this.root.style.setProperty("--cp-left", `${frame.x0}px`);
    this.root.classList.toggle("cp-narrow", narrow);
    this.frame = frame;
    const total = this.axis.finish - this.axis.begin;
    const wanted = (this.axis.view * (frame.x1 - frame.x0)) / 800;
    this.span = wanted > 0.75 * total ? total : wanted;
    const power = Math.floor(Math.log10(this.span / 10));
    const digits = clamp(1 - power, 0, 6);
    this.format = new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
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

  /** An instant as people read it. */
  time(t) {
    return `${this.format.format(t)}${this.unit ? ` ${this.unit}` : ""}`;
  }

  draw() {
    if (!this.frame) return;
    this.view = this.viewAt(this.now);
    for (const part of [...this.scenes, this.strip]) part.draw(this.now, this.view);
    this.scrubber.value = this.now;
    this.scrubber.style.setProperty("--cp-done", `${(100 * (this.now - this.axis.begin)) / (this.axis.finish - this.axis.begin)}%`);
    this.scrubber.setAttribute("aria-valuetext", this.time(this.now));
    this.drawTip();
  }

  seek(now) {
    this.now = clamp(now, this.axis.begin, this.axis.finish);
    this.draw();
  }

  /** Stop, go to an instant, and tell of it. */
  halt(now) {
    this.play(false);
    this.seek(now);
    const events = this.scenes.map((scene) => (this.scenes.length > 1 ? `${scene.film.label}: ` : "") + scene.event.textContent);
    this.live.textContent = [...events, ...this.scenes.map((scene) => scene.why.textContent)].join(". ");
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
    this.playButton.querySelector("path").setAttribute("d", ICONS[playing ? "pause" : "play"]);
    this.playButton.setAttribute("aria-label", playing ? "pause" : "play");
    this.tell("playing", playing);
    cancelAnimationFrame(this.request);
    this.before = undefined;
    if (playing) this.request = requestAnimationFrame((stamp) => this.tick(stamp));
    else this.tell("now", this.now);
  }

  tick(stamp) {
    const passed = (Math.min(stamp - (this.before ?? stamp), 100) / 1000) * SPEEDS[this.speed];
    this.before = stamp;
    if (this.still.matches) this.hop(passed);
    else this.seek(this.now + (passed * this.span) / CROSSING);
    if (this.now >= this.axis.finish) this.halt(this.axis.finish);
    else this.request = requestAnimationFrame((next) => this.tick(next));
  }

  /** Where motion is unwelcome, time stands between events. */
  hop(passed) {
    this.rested = (this.rested ?? 0) + passed;
    if (this.rested < HOP) return;
    this.rested = 0;
    this.seek(this.instants[lastUpTo(this.instants, this.now) + 1] ?? this.axis.finish);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.target.tagName === "BUTTON" && [" ", "Enter"].includes(event.key);
    if (onButton || event.target === this.speedNode) return;
    const actions = {
      " ": () => this.play(!this.playing),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      Home: () => this.toEnd(-1),
      End: () => this.toEnd(1),
      ArrowUp: () => this.faster(1),
      ArrowDown: () => this.faster(-1),
      n: () => this.walk(1),
      p: () => this.walk(-1),
      Escape: () => this.light("picked", null),
    };
    if (!actions[event.key]) return;
    // Lab would take these keys for itself.
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  faster(by) {
    this.speed = clamp(this.speed + by, 0, SPEEDS.length - 1);
    this.speedNode.value = this.speed;
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

  /** Fill and ink of the job of this number. */
  colours(number) {
    const { colours } = this.model.get("data");
    return colours[(number - 1) % colours.length];
  }

  isLit(number) {
    const at = this.hovered ?? this.picked;
    return at !== null && this.films[at.film].jobs.number[at.job] === number;
  }

  /** Pick the next of the jobs that wait, run, or are still in the picture. */
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
    const text = JSON.stringify(this.factsOf(this.films[at.film], at.job));
    if (text !== this.tipText) this.writeTip((this.tipText = text), this.films[at.film].jobs.number[at.job]);
    const [box, root] = [node.getBoundingClientRect(), this.root.getBoundingClientRect()];
    const left = clamp(box.left - root.left, 8, root.width - this.tip.offsetWidth - 8);
    const above = box.top - root.top - this.tip.offsetHeight - 8;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${above >= 0 ? above : box.bottom - root.top + 8}px`;
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

  /** What can be known of a job by now, and why it waits or waited. */
  factsOf(film, j) {
    const { jobs, words } = film;
    const at = film.place(this.now);
    const waits = jobs.left[j] > this.now;
    const waited = Math.min(jobs.left[j], this.now) - jobs.submit[j];
    const facts = [["asks for", words[jobs.asks[j]]], ["submitted", this.time(jobs.submit[j])]];
    facts.push([waits ? "has waited" : "waited", waits || waited > 0 ? this.time(waited) : "not at all"]);
    if (!waits && jobs.start[j] !== null) {
      facts.push(["started", this.time(jobs.start[j])]);
      facts.push([jobs.end[j] > this.now ? "will end" : "ended", this.time(jobs.end[j])]);
      facts.push(["where", placesOf(jobs.boxes[j])]);
    }
    const [came, last] = [words[jobs.came[j]], words[jobs.last[j]]];
    const reasons = came ? [`When it came, it ${came}.`] : [];
    if (waits && film.head[at] === j) reasons.push(`Now it ${words[film.why[at]]}.`);
    if (!waits && last && last !== came) reasons.push(`In the end it ${last}.`);
    return { facts, reasons };
  }
}

/** '3 on cluster 1 and 1 on cluster 2', of the boxes of a job. */
function placesOf(boxes) {
  const took = new Map();
  for (const [cluster, , count] of boxes) took.set(cluster, (took.get(cluster) ?? 0) + count);
  return listed([...took].sort((a, b) => a[0] - b[0]).map(([c, count]) => `${count} on cluster ${c + 1}`));
}

function render({ model, el }) {
  const player = new Player(model, el);
  return () => player.destroy();
}

export default { render };
