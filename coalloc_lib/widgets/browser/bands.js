import { Pool, SVG, clamp, create, listed, ticks } from "./basics.js";

/** The heights in pixels of a server's row, of the gap between clusters, and of an attempt's line. */
const [THIN, HIGH, ALL] = [3, 24, 250];
const GAP = 10;
const LINE = 16;
/** The largest number of attempts that have a line: the first ones and the last two. */
const LINES = 7;
/** The distance in pixels after which a movement of the pointer counts as dragging. */
const DRAG = 4;

/** The rows of the servers with their reservations, and below them the attempts of a request. */
export class Bands {
  constructor(calendar) {
    this.calendar = calendar;
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.classList.add("cc-bands");
    this.layers = {};
    for (const name of ["back", "found", "boxes", "tried", "front"]) {
      this.layers[name] = new Pool(this.svg.appendChild(document.createElementNS(SVG, "g")));
    }
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    this.svg.addEventListener("pointerup", (event) => this.release(event));
    this.svg.addEventListener("pointercancel", () => this.drag(null));
  }

  /** Calculate the layout, which depends on the width and on the servers. */
  lay(width, narrow) {
    const { clusters, begin, finish } = this.calendar.data;
    const servers = clusters.reduce((sum, size) => sum + size, 0);
    Object.assign(this, { narrow, x0: narrow ? 46 : 112, x1: width - 16, top: 18 });
    this.height = clamp(ALL / servers, THIN, HIGH);
    this.rows = [];
    let y = this.top;
    this.blocks = clusters.map((size) => {
      const block = { y, height: size * this.height };
      for (let i = 0; i < size; i += 1) this.rows.push(y + i * this.height);
      y += block.height + GAP;
      return block;
    });
    this.bottom = y - GAP;
    this.scale = (this.x1 - this.x0) / (finish - begin);
    this.svg.setAttribute("width", width);
  }

  x(t) {
    const { begin, finish } = this.calendar.data;
    return this.x0 + (clamp(t, begin, finish) - begin) * this.scale;
  }

  /** Return the instant under a pointer, rounded to a multiple of the grain. */
  instant(event) {
    const { begin, finish, grain } = this.calendar.data;
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    const t = Math.round((begin + (x - this.x0) / this.scale) / grain) * grain;
    return Number(clamp(t, begin, finish).toPrecision(12));
  }

  /** Return the part of an interval that can be booked, or all of it if no part can: then Python says why. */
  asked(span) {
    const { now, until } = this.calendar.data;
    const [start, end] = [Math.min(...span), Math.max(...span)];
    if (end <= now || start >= until) return { start, end };
    return { start: Math.max(start, now), end: Math.min(end, until) };
  }

  draw() {
    const { data } = this.calendar;
    this.drawRows();
    this.drawFound(data.found);
    data.bookings.forEach((booking, place) => this.drawBooking(booking, place));
    this.drawTried();
    this.drawNow();
    for (const layer of Object.values(this.layers)) layer.sweep();
  }

  drawRows() {
    const { clusters, begin, finish } = this.calendar.data;
    const { back } = this.layers;
    const [x, width] = [this.x0, this.x1 - this.x0];
    const named = this.height >= 11;
    let server = 0;
    this.blocks.forEach(({ y, height }, c) => {
      back.put(`band ${c}`, "rect", { x, y, width, height, class: "cp-band" });
      if (clusters.length > 1 && !(named && this.narrow)) {
        const text = this.narrow ? `cl. ${c + 1}` : `cluster ${c + 1}`;
        const side = { x: x - (named ? 32 : 8), y: y + height / 2, class: "cp-side" };
        back.put(`name ${c}`, "text", side, text);
      }
      for (let i = 0; i < clusters[c]; i += 1, server += 1) {
        const row = this.rows[server];
        if (i) back.put(`row ${server}`, "path", { d: `M${x} ${row}h${width}`, class: "cc-row" });
        if (!named) continue;
        const side = { x: x - 8, y: row + this.height / 2, class: "cp-side" };
        const word = clusters.length > 1 || this.narrow ? "" : "server ";
        back.put(`server ${server}`, "text", side, `${word}${server + 1}`);
      }
    });
    back.put("axis", "path", { d: `M${x} ${this.bottom + 4}H${this.x1}`, class: "cp-axis" });
    const marks = ticks(begin, finish, width);
    marks.forEach((t, i) => {
      back.put(`tick ${t}`, "path", { d: `M${this.x(t)} ${this.bottom + 4}v4`, class: "cp-axis" });
      const unit = i === marks.length - 1 ? ` ${this.calendar.data.unit}` : "";
      const at = { x: this.x(t), y: this.bottom + 17, class: "cp-small" };
      back.put(`at ${t}`, "text", at, `${Number(t.toPrecision(9)).toLocaleString("en")}${unit}`);
    });
  }

  /** Draw one box for neighbouring servers. */
  runs(servers) {
    const runs = [];
    for (const server of servers) {
      const last = runs.at(-1);
      const beside = last && this.rows[server] - this.rows[server - 1] < this.height + GAP / 2;
      if (beside && last.to === server - 1) last.to = server;
      else runs.push({ from: server, to: server });
    }
    return runs.map(({ from, to }) => ({
      y: this.rows[from],
      height: this.rows[to] + this.height - this.rows[from],
    }));
  }

  span({ start, end }) {
    return { x: this.x(start), width: Math.max(this.x(end) - this.x(start), 0) };
  }

  drawBooking(booking, place) {
    const { boxes, front } = this.layers;
    const [fill, ink] = booking.colour;
    const box = this.span(booking);
    const picked = place === this.calendar.picked;
    if (!box.width) return;
    this.runs(booking.servers).forEach((run, k) => {
      const rect = { ...box, ...run, rx: 2, fill, class: "cp-box", "data-booking": place };
      boxes.put(`box ${booking.number} ${k}`, "rect", { ...rect, "stroke-width": Math.min(1.5, run.height / 4) });
      if (picked) front.put(`lit ${k}`, "rect", { ...box, ...run, rx: 2, class: "cp-lit" });
      const text = booking.label;
      if (!text || box.width < 8.2 * text.length + 6 || run.height < 12) return;
      const label = { x: box.x + 5, y: run.y + run.height / 2, style: `fill:${ink}`, class: "cp-number" };
      boxes.put(`number ${booking.number} ${k}`, "text", label, text);
    });
  }

  /** Mark the servers that are free during a whole interval, and those that are not. */
  drawFound(found) {
    if (!found) return;
    const { found: layer } = this.layers;
    const box = this.span(found);
    this.runs(found.free).forEach((run, k) => {
      layer.put(`free ${k}`, "rect", { ...box, ...run, class: "cc-free" });
    });
    const edge = { ...box, y: this.top, height: this.bottom - this.top, class: "cc-span" };
    this.layers.front.put("span", "rect", edge);
  }

  /** Draw a line for each attempt, and over the servers the interval of the selected attempt. */
  drawTried() {
    const { tried } = this.calendar.data;
    const { tried: layer, front, found } = this.layers;
    const shown = tried.length <= LINES ? [...tried.keys()]
      : [...Array(LINES - 2).keys(), tried.length - 2, tried.length - 1];
    let y = this.bottom + 38;
    shown.forEach((place, i) => {
      const one = tried[place];
      const { x, width } = this.span(one);
      const kind = one.why ? "cc-failed" : "cc-taken";
      const lit = place === this.calendar.tried ? " cc-lit" : "";
      layer.put(`try ${place}`, "rect", { x, y: y - 6, width, height: 12, rx: 2, class: `${kind}${lit}`, "data-try": place });
      this.drawWords(place, y, x, width, i > 0 && place > shown[i - 1] + 1);
      y += LINE;
    });
    const at = tried[this.calendar.tried];
    if (at) {
      this.runs(at.free).forEach((run, k) => found.put(`can ${k}`, "rect", { ...this.span(at), ...run, class: "cc-free" }));
      const edge = { ...this.span(at), y: this.top, height: this.bottom - this.top };
      front.put("window", "rect", { ...edge, class: at.why ? "cc-window" : "cc-span" });
    }
    if (!shown.length) layer.put("none", "text", { x: this.x0, y, class: "cc-words" }, "each attempt to book your request gets a line here");
    // The height is the same with and without attempts, so that nothing below the calendar moves.
    this.svg.setAttribute("height", this.bottom + 38 + LINES * LINE);
  }

  drawWords(place, y, x, width, skips) {
    const one = this.calendar.data.tried[place];
    const { tried: layer } = this.layers;
    const at = { ...this.besides(x, width, 6.3 * one.said.length), y, "data-try": place };
    if (!this.narrow) layer.put(`said ${place}`, "text", at, one.said);
    const side = { x: this.x0 - 8, y, class: "cp-side cp-small-side" };
    layer.put(`nth ${place}`, "text", side, `${skips ? "… " : ""}${this.narrow ? "" : "attempt "}${place + 1}`);
  }

  /** Return the place of a text: after an interval, before it, or over it if there is no room beside it. */
  besides(x, width, length) {
    const right = x + width + 8;
    if (right + length < this.x1 + 12) return { x: right, class: "cc-words" };
    if (x - 8 - length > this.x0) return { x: x - 8, class: "cc-words cp-side" };
    return { x: clamp(x + 6, this.x0, this.x1 - length), class: "cc-words" };
  }

  drawNow() {
    const { now, until, unit, finish } = this.calendar.data;
    const { front, back } = this.layers;
    const tall = `${this.top - 4}V${this.bottom + 4}`;
    front.put("now", "path", { d: `M${this.x(now)} ${tall}`, class: "cp-now" });
    const label = { x: clamp(this.x(now), this.x0 + 30, this.x1 - 30), y: this.top - 10, class: "cp-above" };
    front.put("now is", "text", label, `now ${now.toLocaleString("en")} ${unit}`.trim());
    const x = this.x(until);
    back.put("beyond", "rect", { x, y: this.top, width: this.x(finish) - x, height: this.bottom - this.top, class: "cc-beyond" });
    front.put("horizon", "path", { d: `M${x} ${tall}`, class: "cc-horizon" });
    const far = { x: clamp(x, this.x0 + 150, this.x1 - 38), y: this.top - 10, class: "cp-above" };
    front.put("horizon is", "text", far, `horizon ${until.toLocaleString("en")} ${unit}`.trim());
  }

  press(event) {
    const node = event.target.closest?.("[data-booking]");
    if (event.button) return;
    const box = this.svg.getBoundingClientRect();
    const y = event.clientY - box.top;
    if (y < this.top || y > this.bottom) return;
    this.from = { x: event.clientX, instant: this.instant(event), place: node ? Number(node.dataset.booking) : null };
    this.svg.setPointerCapture(event.pointerId);
  }

  move(event) {
    const node = event.target.closest?.("[data-try]");
    if (!this.from) {
      this.calendar.pickTry(node ? Number(node.dataset.try) : null);
      return;
    }
    const far = Math.abs(event.clientX - this.from.x) > DRAG;
    if (far || this.dragged) this.drag([this.from.instant, this.instant(event)]);
  }

  drag(span) {
    this.dragged = span && this.asked(span);
    if (!span) this.from = null;
    const { front } = this.layers;
    const { x, width } = this.dragged ? this.span(this.dragged) : { x: 0, width: 0 };
    front.put("drag", "rect", { x, width, y: this.top, height: this.bottom - this.top, class: "cc-drag" });
  }

  release() {
    if (!this.from) return;
    const [{ place }, dragged] = [this.from, this.dragged];
    this.drag(null);
    if (dragged) this.calendar.search(dragged.start, dragged.end);
    else this.calendar.pick(place);
  }

  /** Return the names of the servers of a box as a text. */
  names(servers) {
    const { clusters } = this.calendar.data;
    const all = servers.map((server) => `${server + 1}`);
    const said = `${all.length > 1 ? "servers" : "server"} ${listed(all)}`;
    if (clusters.length === 1) return said;
    const ends = clusters.map((_, c) => clusters.slice(0, c + 1).reduce((a, b) => a + b, 0));
    const counts = new Map();
    for (const server of servers) {
      const c = ends.findIndex((end) => server < end);
      counts.set(c, (counts.get(c) ?? 0) + 1);
    }
    return `${said} (${listed([...counts].map(([c, n]) => `${n} on cluster ${c + 1}`))})`;
  }
}
