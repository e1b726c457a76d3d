import { lastUpTo, listed } from "./basics.js";

/** The data of one schedule, with functions that describe an instant of it. */
export class Film {
  constructor(data) {
    Object.assign(this, data);
    this.processors = this.clusters.reduce((sum, size) => sum + size, 0);
  }

  place(now) {
    return Math.max(lastUpTo(this.instants, now), 0);
  }

  /** Return the share of the processor-time until now that was idle while a job waited. */
  share(now) {
    const i = this.place(now);
    const next = Math.min(i + 1, this.instants.length - 1);
    const length = this.instants[next] - this.instants[i];
    const part = length > 0 ? Math.min((now - this.instants[i]) / length, 1) : 0;
    const area = this.area[i] + part * (this.area[next] - this.area[i]);
    return area / (this.processors * (now - this.origin));
  }

  /** Return the waiting jobs in order of the queue. */
  queue(now) {
    const { submit, left } = this.jobs;
    return [...submit.keys()].filter((j) => submit[j] <= now && left[j] > now);
  }

  /** Return the head of the queue and its promised start, which is null if there is none. */
  promise(now) {
    const head = this.head[this.place(now)];
    const at = this.jobs.promised[head] ?? null; // The head is -1 if the queue is empty.
    return at === null ? null : { number: this.jobs.number[head], at };
  }

  /** Return the words that the box of a job shows beside its number, such as 'spans' or 'passes 3'. */
  does(j) {
    const { passed, spans } = this.jobs;
    return [spans[j] && "spans", passed[j] !== null && `passes ${passed[j]}`].filter(Boolean).join(", ");
  }

  /** Return a description of the events at one of the instants. */
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
      ...[...number.keys()].filter((j) => start[j] === at && this.does(j))
        .slice(0, 3).map((j) => `job ${number[j]} ${this.does(j)}`),
      say((j) => submit[j] === at && left[j] > at, "is submitted and waits", "are submitted and wait"),
      say((j) => left[j] === at && start[j] === null, "is rejected", "are rejected"),
    ].flat().join("; ");
  }

  /** Return a description of a job at the present instant, and the reason why it waits or waited. */
  facts(j, now, time) {
    const { jobs, words } = this;
    const at = this.place(now);
    const waits = jobs.left[j] > now;
    const waited = Math.min(jobs.left[j], now) - jobs.submit[j];
    const facts = [["asks for", words[jobs.asks[j]]], ["submitted", time(jobs.submit[j])]];
    facts.push([waits ? "has waited" : "waited", waits || waited > 0 ? time(waited) : "not at all"]);
    if (!waits && jobs.start[j] !== null) {
      facts.push(["started", time(jobs.start[j])]);
      facts.push([jobs.end[j] > now ? "will end" : "ended", time(jobs.end[j])]);
      facts.push(["where", placesOf(jobs.boxes[j])]);
      if (jobs.passed[j] !== null) facts.push(["passed", `job ${jobs.passed[j]}`]);
    }
    if (jobs.promised[j] !== null) facts.push(["promised", `a start at ${time(jobs.promised[j])}`]);
    const [came, last] = [words[jobs.came[j]], words[jobs.last[j]]];
    const reasons = came ? [`When it came, it ${came}.`] : [];
    if (waits && this.head[at] === j) reasons.push(`Now it ${words[this.why[at]]}.`);
    if (!waits && last && last !== came) reasons.push(`In the end it ${last}.`);
    return { facts, reasons };
  }
}

/** Return the processors of a job as a text, such as '3 on cluster 1 and 1 on cluster 2'. */
function placesOf(boxes) {
  const took = new Map();
  for (const [cluster, , count] of boxes) took.set(cluster, (took.get(cluster) ?? 0) + count);
  return listed([...took].sort((a, b) => a[0] - b[0]).map(([c, count]) => `${count} on cluster ${c + 1}`));
}
