/** Functions that all parts use: they make nodes, ticks and texts, and search sorted lists. */

export const SVG = "http://www.w3.org/2000/svg";

export function create(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

/** Return the place of the last entry that is at most `value`, or -1 if there is none. */
export function lastUpTo(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function listed(items) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

export function percent(share) {
  return Number.isFinite(share) ? `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %` : "–";
}

/** Return the round instants at which an axis has ticks; their number depends on its length in pixels. */
export function ticks(begin, finish, pixels) {
  const least = ((finish - begin) * 75) / Math.max(pixels, 75);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least * 0.999);
  const first = Math.ceil(begin / step - 1e-9);
  const count = Math.floor(finish / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, i) => (first + i) * step);
}

/** A pool of SVG nodes by key. Nodes that the next picture uses again stay, and the others are removed.
 * An attribute is set only if its value changes. */
export class Pool {
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

  /** Finish a picture: remove the nodes that it did not use. */
  sweep() {
    for (const [key, entry] of this.nodes) {
      if (entry.round === this.round) continue;
      entry.node.remove();
      this.nodes.delete(key);
    }
    this.round += 1;
  }
}

