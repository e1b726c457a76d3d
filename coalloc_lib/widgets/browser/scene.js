import { Pool, SVG, clamp, create, lastUpTo } from "./basics.js";

/** How far the number of a submission may extend beyond the clusters, in pixels. */
const MARGIN = 18;
/** The height of the clusters in pixels in a player of one, two, three or four schedules. With several
 * schedules, the gaps between the clusters are included, so that the player fits a small window. */
const HEIGHTS = [230, 106, 78, 36];
/** The same in a player without the curve of the idle share, which belongs to a question. */
const BARE = [230, 115, 72, 36];
/** The lowest box in which a number can be read, in pixels. */
const LOWEST = 7.5;

/** The picture of one schedule: the queue, the clusters and the submissions. */
export class Scene {
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
    this.sooner = `url(#sooner-${unique})`;
    this.svg.innerHTML = `<defs>
      <pattern id="hatch-${unique}" width="6" height="6" patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)">
        <rect width="6" height="6" class="cp-hatch"/><path d="M0 0V6" class="cp-stroke"/>
      </pattern>
      <pattern id="sooner-${unique}" width="6" height="6" patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"><path d="M0 0V6" class="cp-sooner"/></pattern>
      <clipPath id="boxes-${unique}"><rect/></clipPath>
      <clipPath id="marks-${unique}"><rect/></clipPath></defs>
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

  /** Calculate the layout, which depends only on the width. */
  lay(frame) {
    const { film } = this;
    const many = film.clusters.length;
    const shown = this.player.films.length;
    const gap = many > 8 ? 3 : many > 4 || shown > 2 ? 6 : 12;
    const gaps = shown > 1 ? gap * (many - 1) : 0;
    const room = (this.player.idle === 0 ? BARE : HEIGHTS)[shown - 1];
    const height = Math.max(room - gaps, 15 * many);
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
    [0, MARGIN].forEach((margin, i) => {
      const { x0, x1 } = frame;
      const box = { x: x0 - margin, y: 0, width: x1 - x0 + 2 * margin, height: this.bottom + 40 };
      for (const [name, value] of Object.entries(box)) this.clips[i].setAttribute(name, value);
    });
    this.labels = this.labelsOfMarks();
  }

  /** Return labels of submissions, by the first job of each. Labels that would touch are left out. */
  labelsOfMarks() {
    const { submit } = this.film.jobs;
    const pixels = this.player.view.scale;
    const labels = new Map();
    let free = -Infinity;
    for (const j of submit.keys()) {
      if (submit[j] === submit[j - 1]) continue;
      const text = this.submittedWith(j);
      const half = 3.5 * text.length;
      if (submit[j] * pixels - half < free) continue;
      labels.set(j, text);
      free = submit[j] * pixels + half + 4;
    }
    return labels;
  }

  /** Return the number of a job, or the numbers of all jobs that are submitted at the same instant. */
  submittedWith(j) {
    const { submit, number } = this.film.jobs;
    let last = j;
    while (submit[last + 1] === submit[j]) last += 1;
    if (last === j) return `${number[j]}`;
    const isRow = number[last] - number[j] === last - j;
    return isRow ? `${number[j]}–${number[last]}` : `${number[j]} +${last - j}`;
  }

  draw(now, view) {
    const { film } = this;
    const place = film.place(now);
    if (place !== this.told) this.event.textContent = this.event.title = this.tell(place);
    this.told = place;
    // The moving parts have a layer of their own, in which only running jobs are drawn again.
    const shift = `translate(${view.x(view.begin).toFixed(2)} 0)`;
    for (const layer of this.moving) layer.setAttribute("transform", shift);
    this.drawBands();
    this.layers.boxes.put("idle", "path", { d: this.idlePath(now, view), fill: this.hatch });
    const { start, end } = film.jobs;
    for (const j of start.keys()) {
      const seen = start[j] !== null && start[j] <= Math.min(now, view.right) && end[j] > view.left;
      if (!seen || end[j] === start[j]) continue;
      film.jobs.boxes[j].forEach((box, k) => this.drawBox(j, k, box, now, view));
    }
    this.drawQueue(now);
    this.drawMarks(now, view);
    this.drawNow(now, view);
    this.drawPromise(now, view);
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
      const name = frame.narrow ? `cl. ${c + 1}` : `cluster ${c + 1}`;
      // A single cluster needs no number, because the schedule has a name.
      back.put(`name ${c}`, "text", label, film.clusters.length > 1 ? name : frame.narrow ? `${size}` : `${size} processors`);
      if (!small && film.clusters.length > 1)
        back.put(`size ${c}`, "text", { ...label, y: label.y + 15 }, `${size} processors`);
    });
  }

  /** Hatch the whole height of the clusters while a job waited. The boxes are drawn over the hatching. */
  idlePath(now, view) {
    const { instants, waits } = this.film;
    let path = "";
    for (let i = Math.max(lastUpTo(instants, view.left), 0); instants[i] < now; i += 1) {
      if (!waits[i]) continue;
      const left = view.world(instants[i]);
      while (waits[i + 1] && instants[i + 1] < now) i += 1; // Join all instants without a break into one area.
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
      const rest = { ...box, x: until, width: last - until, class: "cp-box cp-rest" };
      boxes.put(`rest ${j} ${k}`, "rect", rest);
    }
    boxes.put(`box ${j} ${k}`, "rect", { ...box, x, width: until - x, class: "cp-box" });
    const { told, held } = this.film.jobs;
    const more = view.world(told[j]) - last; // Until this instant, other jobs are planned around its processors.
    if (more > 1 && held[j] > now) {
      boxes.put(`told ${j} ${k}`, "rect", { x: last, y, width: more, height, class: "cp-told" });
    }
    const ahead = view.world(Math.min(this.film.jobs.sooner[j], now)) - x;
    if (ahead > 0) {
      boxes.put(`sooner ${j} ${k}`, "rect", { x, y, width: ahead, height, fill: this.sooner, class: "cp-ahead" });
    }
    if (this.film.jobs.passed[j] !== null) {
      numbers.put(`passes ${j} ${k}`, "rect", { x, y, width: last - x, height, rx: 2, class: "cp-passes" });
    }
    if (this.player.isLit(number[j])) {
      numbers.put(`lit ${j} ${k}`, "rect", { x, y, width: last - x, height, rx: 2, class: "cp-lit" });
    }
    const left = Math.max(x, view.world(view.left));
    const fits = (words) => until - left >= 8.2 * words.length + 8 && height >= LOWEST;
    const text = [`${number[j]} ${this.film.does(j)}`.trim(), `${number[j]}`].find(fits);
    if (text === undefined) return;
    const label = { x: left + 5, y: y + height / 2, style: `fill:${ink}`, class: "cp-number" };
    if (height < 12) label.class += " cp-low";
    numbers.put(`number ${j} ${k}`, "text", label, text);
  }

  /** Draw the queue with its head next to the clusters. A component is as high as it will be there. */
  drawQueue(now) {
    const { film, frame } = this;
    const waiting = film.queue(now);
    const digits = Math.max(...waiting.map((j) => `${film.jobs.number[j]}`.length), 1);
    const step = Math.max(18, frame.narrow ? 7.2 * digits + 4 : 8 * digits + 6);
    const room = Math.max(Math.floor((frame.queue - 4) / step), 1);
    const shown = waiting.slice(0, room);
    const total = film.waits[film.place(now)];
    shown.forEach((j, i) => this.drawWaiting(j, frame.queue - (i + 1) * step, step - 5, i === 0));
    const head = film.jobs.number[waiting[0]];
    const promise = film.promise(now);
    const until = promise ? `; it was promised a start at ${this.player.time(promise.at)}` : "";
    const why = film.words[film.why[film.place(now)]];
    this.why.textContent = this.why.title = head === undefined ? "" : `job ${head} ${why}${until}`;
    const count = { x: frame.queue - 5, y: this.bottom + 13, class: "cp-count" };
    const more = total - shown.length;
    const text = more ? `… ${frame.narrow ? "" : "and "}${more} more` : "";
    this.layers.back.put("count", "text", count, text);
  }

  drawWaiting(j, x, width, isHead) {
    const { film } = this;
    const { back, front } = this.layers;
    const number = film.jobs.number[j];
    const [fill] = this.player.colours(number);
    const label = { x: x + width / 2, y: this.top - 9, class: "cp-above" };
    back.put(`waiting ${j}`, "text", label, `${number}`);
    let y = this.top;
    film.jobs.asked[j].forEach((size, i) => {
      if (!size) return;
      if (film.ordered) y = this.bands[i].y;
      const height = Math.max(size * this.scale - (isHead ? 0 : 0.5), 2);
      const box = { x, y, width, height, rx: 2 };
      const name = `cp-waits${isHead ? " cp-first" : ""}`;
      back.put(`waiting ${j} ${i}`, "rect", { ...box, fill, class: name, "data-job": j });
      if (this.player.isLit(number)) front.put(`lit waiting ${j} ${i}`, "rect", { ...box, class: "cp-lit" });
      y += size * this.scale + 4;
    });
  }

  drawMarks(now, view) {
    const { submit, number } = this.film.jobs;
    const { marks } = this.layers;
    for (const j of submit.keys()) {
      if (submit[j] > now || submit[j] < view.left) continue;
      const x = view.world(submit[j]);
      const [stroke] = this.player.colours(number[j]);
      marks.put(`mark ${j}`, "path", { d: `M${x} ${this.bottom + 3}v8`, stroke, class: "cp-mark" });
      if (!this.labels.has(j)) continue;
      const label = { x, y: this.bottom + 19, class: "cp-small" };
      marks.put(`mark of ${j}`, "text", label, this.labels.get(j));
    }
  }

  /** Draw the first promised start of the head of the queue, which jobs that overtake it must not delay. */
  drawPromise(now, view) {
    const promise = this.film.promise(now);
    if (!promise || promise.at < view.left || promise.at > view.right) return;
    const { frame, top } = this;
    const { front } = this.layers;
    const [x, at] = [view.x(promise.at), view.x(now)];
    front.put("promise", "path", { d: `M${x} ${top - 4}V${this.bottom + 3}`, class: "cp-promise" });
    const text = `promise to ${promise.number}`;
    // The label is shown only if it fits beside the label of the clock; otherwise `why` contains it.
    const half = 3.4 * text.length;
    const middle = Math.max(x, at + 40 + half);
    if (middle + half > frame.x1 + 14) return;
    front.put("promise to", "text", { x: middle, y: top - 10, class: "cp-above cp-promised" }, text);
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
