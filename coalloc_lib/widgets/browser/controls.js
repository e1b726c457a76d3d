import { create } from "./basics.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const ICONS = {
  first: "M3 3v10M13 3 8.5 8l4.5 5zM8.5 3 4 8l4.5 5z",
  back: "M4 3v10M13 3 6 8l7 5z",
  play: "M4 2.5 14 8 4 13.5z",
  pause: "M4.5 3v10h2.5v-10zM9.5 3v10h2.5v-10z",
  on: "M12 3v10M3 3l7 5-7 5z",
  last: "M13 3v10M3 3l4.5 5L3 13zM7.5 3 12 8l-4.5 5z",
};

function button(icon, title, keys, action) {
  const node = create("button", { type: "button", title: `${title} (${keys})`, "aria-label": title });
  const look = 'viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"';
  node.innerHTML = `<svg ${look}><path d="${ICONS[icon]}"/></svg>`;
  node.addEventListener("click", action);
  return node;
}

/** The buttons, the speed and the time slider of a player. They call functions of the player. */
export class Controls {
  constructor(player) {
    this.player = player;
    this.play = button("play", "play", "space", () => player.play(!player.playing));
    this.play.classList.add("cp-play");
    const speeds = SPEEDS.map((speed, i) => create("option", { value: i }, `${speed}×`));
    this.speed = create("select", { "aria-label": "speed", title: "speed (up, down)" }, ...speeds);
    this.speed.value = SPEEDS.indexOf(1);
    this.scrubber = create("input", { type: "range", step: "any", "aria-label": "time" });
    this.scrubber.addEventListener("input", () => player.halt(Number(this.scrubber.value)));
    this.note = create("span");
    const keys = "space plays, ← → one event, ↑ ↓ speed, n p from job to job";
    this.node = create(
      "div", { class: "cp-controls" }, this.buttons(),
      create("div", { class: "cp-scrub" }, this.scrubber),
      create("div", { class: "cp-hint" }, this.note, keys),
    );
  }

  buttons() {
    const { player } = this;
    return create(
      "div", { class: "cp-buttons" },
      button("first", "to the first event", "Home", () => player.toEnd(-1)),
      button("back", "one event back", "left", () => player.step(-1)),
      this.play,
      button("on", "one event on", "right", () => player.step(1)),
      button("last", "to the last event", "End", () => player.toEnd(1)),
      this.speed,
    );
  }

  faster(by) {
    const fastest = SPEEDS.length - 1;
    this.speed.value = Math.max(0, Math.min(fastest, Number(this.speed.value) + by));
  }

  /** Return the chosen speed as a multiple of speed 1. */
  pace() {
    return SPEEDS[Number(this.speed.value)];
  }

  lay({ begin, finish }, note) {
    Object.assign(this.scrubber, { min: begin, max: finish });
    this.note.textContent = note;
  }

  draw(now, text, playing) {
    const { min, max } = this.scrubber;
    this.scrubber.value = now;
    this.scrubber.style.setProperty("--cp-done", `${(100 * (now - min)) / (max - min)}%`);
    this.scrubber.setAttribute("aria-valuetext", text);
    const action = playing ? "pause" : "play";
    if (this.play.getAttribute("aria-label") === action) return;
    this.play.setAttribute("aria-label", action);
    this.play.querySelector("path").setAttribute("d", ICONS[action]);
  }
}
