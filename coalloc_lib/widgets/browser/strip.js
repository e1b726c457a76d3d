import { Pool, SVG, clamp, percent, ticks } from "./basics.js";

/** The number of letters that fit beside the axis. */
const LONG = 14;
/** The line styles of the schedules, in their order. */
const DASHES = ["", "2 3", "8 3", "8 3 2 3"];

/** The time axis above the time slider of the same width, and the curve of the idle share above it. */
export class Strip {
  constructor(player) {
    this.player = player;
    this.svg = document.createElementNS(SVG, "svg");
    this.clip = `cp-past-${Math.random().toString(36).slice(2)}`;
    this.svg.innerHTML = `<defs><clipPath id="${this.clip}"><rect/></clipPath></defs>`;
    this.past = this.svg.querySelector("rect");
    this.pool = new Pool(this.svg.appendChild(document.createElementNS(SVG, "g")));
  }

  lay(frame) {
    const { films, axis, bound, idle } = this.player;
    this.frame = frame;
    this.bare = idle === 0; // Only the axis is drawn.
    // Long names are above the axis. So are all names if there is no room beside it.
    this.above = !this.bare && (frame.narrow || films.length > 1 && films.some((film) => film.label.length > LONG));
    this.top = (this.player.view.moves ? 36 : this.bare ? 2 : 12) + (this.above ? 6 + 16 * this.rowsOfNames() : 0);
    this.height = this.bare ? 0 : films.length > 2 ? 50 : 66;
    this.svg.setAttribute("width", frame.width);
    this.svg.setAttribute("height", this.top + this.height + 22);
    const span = axis.finish - axis.begin;
    const settled = [0.1, 0.2, 0.3, 0.5, 0.7, 1].map((part) => axis.begin + part * span);
    const shares = films.flatMap((film) => settled.map((t) => film.share(t))).filter(Number.isFinite);
    const most = Math.max(...shares, (bound ?? 0) * 1.3, 0.05) * 1.15;
    this.most = idle ?? [0.1, 0.2, 0.4, 0.6, 0.8, 1].find((m) => m >= most) ?? 1;
    this.curves = films.map((film) => this.curve(film));
    Object.entries({ x: frame.x0, y: this.top - 2, height: this.height + 4 })
      .forEach(([name, value]) => this.past.setAttribute(name, value));
  }

  /** Divide the names above the axis into as many columns as fit, and return the number of rows. */
  rowsOfNames() {
    const { films } = this.player;
    const longest = Math.max(...films.map((film) => film.label.length));
    const fit = Math.floor(this.frame.width / (7.5 * longest + 90));
    this.columns = clamp(fit, 1, films.length);
    return Math.ceil(films.length / this.columns);
  }

  x(t) {
    const { axis } = this.player;
    const { x0, x1 } = this.frame;
    return x0 + ((t - axis.begin) / (axis.finish - axis.begin)) * (x1 - x0);
  }

  y(share) {
    return this.top + this.height * (1 - Math.min(share / this.most, 1));
  }

  curve(film) {
    const { axis } = this.player;
    const points = [];
    const count = Math.round(this.frame.x1 - this.frame.x0);
    for (let i = 1; i <= count; i += 1) {
      const t = axis.begin + (i / count) * (axis.finish - axis.begin);
      const share = film.share(t);
      if (t <= film.origin || t > film.finish) continue;
      points.push(`${this.frame.x0 + i} ${this.y(share).toFixed(1)}`);
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
    if (!this.bare) this.drawShares(now, base);
    pool.sweep();
  }

  drawShares(now, base) {
    const { pool, frame } = this;
    for (const share of [0, this.most / 2, this.most]) {
      const y = this.y(share);
      pool.put(`level ${share}`, "path", { d: `M${frame.x0} ${y}H${frame.x1}`, class: "cp-level" });
      const label = { x: frame.x0 - 8, y, class: "cp-small cp-side" };
      pool.put(`share ${share}`, "text", label, `${Math.round(100 * share)} %`);
    }
    this.drawBound();
    this.past.setAttribute("width", Math.max(this.x(now) - frame.x0, 0));
    this.curves.forEach((d, i) => {
      const line = { d, class: "cp-curve", "stroke-dasharray": DASHES[i] };
      pool.put(`curve ${i}`, "path", { ...line, "clip-path": `url(#${this.clip})` });
    });
    pool.put("now", "path", { d: `M${this.x(now)} ${this.top}V${base}`, class: "cp-now" });
    this.drawFigures(now);
  }

  drawAxis(name, begin, finish, x, y) {
    const marks = ticks(begin, finish, this.frame.x1 - this.frame.x0);
    const line = { d: `M${this.frame.x0} ${y}H${this.frame.x1}`, class: "cp-axis" };
    this.pool.put(`${name} line`, "path", line);
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
    // The label is on the side of the line on which there is no curve.
    const above = Math.max(...this.player.films.map((film) => film.share(film.finish))) < bound + 0.01;
    const label = { x: this.frame.x1, y: y + (above ? -9 : 10), class: "cp-side cp-loss" };
    this.pool.put("bound is", "text", label, `in the long run, by theory: ${(100 * bound).toFixed(1)} %`);
  }

  /** Draw the value of a schedule, with a sample of its line if there are several schedules. */
  drawFigure(i, x, y, text, size) {
    const several = this.curves.length > 1;
    const sample = { d: `M${x} ${y}h24`, class: "cp-curve", "stroke-dasharray": DASHES[i] };
    if (several) this.pool.put(`sample ${i}`, "path", sample);
    const left = several ? x + 30 : x;
    this.pool.put(`figure ${i}`, "text", { x: left, y, class: `cp-figure ${size}` }, text);
  }

  /** Draw the present values beside the axis, or above it on a narrow screen. A single value is large. */
  drawFigures(now) {
    const { films } = this.player;
    const { pool, frame } = this;
    const what = "idle while a job waits, so far";
    films.forEach((film, i) => {
      const share = percent(film.share(Math.min(now, film.finish)));
      const label = films.length > 1 ? film.label : "";
      if (this.above) {
        const rows = Math.ceil(films.length / this.columns);
        const x = (i % this.columns) * (frame.width / this.columns);
        const y = this.top - 4 - 16 * (rows - Math.floor(i / this.columns));
        this.drawFigure(i, x, y, `${share} ${label || what}`, "");
        return;
      }
      const y = this.top + (label ? 21 + 16 * i : 30);
      this.drawFigure(i, 0, y, `${share} ${label}`, label ? "" : "cp-large");
    });
    if (!frame.narrow) pool.put("what", "text", { x: 0, y: this.top, class: "cp-what" }, what);
  }
}
