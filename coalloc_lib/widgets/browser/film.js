import { lastUpTo, listed } from "./basics.js";

/** One schedule, as it is sent, and what it says of an instant. */
export class Film {
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

  /** The job that heads the queue and the start that it was promised; null where none was. */
  promise(now) {
    const head = this.head[this.place(now)];
    const at = this.jobs.promised[head] ?? null; // none heads the queue at -1
    return at === null ? null : { number: this.jobs.number[head], at };
  }

  /** What is to be seen of a job in its box, beside its number: 'spans', 'passes 3'. */
  does(j) {
    const { passed, spans } = this.jobs;
    return [spans[j] && "spans", passed[j] !== null && `passes ${passed[j]}`].filter(Boolean).join(", ");
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
      ...[...number.keys()].filter((j) => start[j] === at && this.does(j))
        .slice(0, 3).map((j) => `job ${number[j]} ${this.does(j)}`),
      say((j) => submit[j] === at && left[j] > at, "is submitted and waits", "are submitted and wait"),
      say((j) => left[j] === at && start[j] === null, "is turned away", "are turned away"),
    ].flat().join("; ");
  }

  /** What can be known of a job by now, and why it waits or waited. */
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

/** '3 on cluster 1 and 1 on cluster 2', of the boxes of a job. */
function placesOf(boxes) {
  const took = new Map();
  for (const [cluster, , count] of boxes) took.set(cluster, (took.get(cluster) ?? 0) + count);
  return listed([...took].sort((a, b) => a[0] - b[0]).map(([c, count]) => `${count} on cluster ${c + 1}`));
}
