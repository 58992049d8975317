import {
  InvalidParameter,
  resolvePlugin,
  type Adjacency,
  type Batch,
  type DrawQuery,
  type RandomSource,
  type Registry,
  type Sampler,
  type SplitQuery,
} from '@lethe/core';

/** Log-likelihood of one answer, by the multiplicity of the canary: `[0]` absent, `[1]` once, … */
export type AnswerLikelihood = readonly number[];

/** A batch as the auditor sees it: its answers, and the choices below it. */
export interface Node {
  /**
   * Position of the canary in the batch, if known: `-1` outside the batch. `null` if only its distribution
   * is known.
   */
  readonly place: number | null;
  /** Maximum multiplicity of a record. */
  readonly most: number;
  readonly answers: AnswerLikelihood[];
  readonly choices: Choice[];
}
/**
 * One secret choice of the curator, by its outcomes for the
 * canary: probability, and multiplicity in each batch.
 */
interface Choice {
  readonly outcomes: readonly { readonly log: number; readonly of: number; readonly times: number }[];
  readonly nodes: readonly Node[];
}

/** The batches of a run. */
export interface Membership {
  of(batch: Batch): Node;
  draw(query: DrawQuery, made: Batch): void;
  split(query: SplitQuery, made: readonly Batch[]): void;
  /** `ln P(all answers)` with the canary among the records, or absent. */
  logLikelihood(present: boolean): number;
}

/** Constants of one audit. */
export interface MembershipOptions {
  readonly registry: Registry;
  readonly adjacency: Adjacency;
  readonly random: RandomSource;
  readonly laws: Map<string, readonly number[]>;
}

/** Multiplicities in a draw with replacement that are distinguished. */
const mostTimes = 3;

const newNode = (place: number | null, most: number): Node => ({ place, most, answers: [], choices: [] });

/**
 * Tracks a curator's batches, with the canary as the first record. Where its position is secret, the
 * likelihood of the answers is averaged over its possible positions, for nested choices too; this is exact if
 * all other records contribute zero.
 */
export function createMembership(
  allRecords: Batch,
  { registry, adjacency, random, laws }: MembershipOptions,
): Membership {
  const root = newNode(0, 1);
  const nodes = new Map<string, Node>([[allRecords.id, root]]);
  const of = ({ id }: Batch): Node => {
    const found = nodes.get(id);
    if (found === undefined)
      throw new InvalidParameter(`a query names batch '${id}', which no curator of this run made`, {
        batch: id,
      });
    return found;
  };
  const add = (batch: Batch, node: Node): Node => {
    nodes.set(batch.id, node);
    return node;
  };
  const times = (query: DrawQuery): readonly number[] => {
    const key = JSON.stringify([query.sampler, query.from.normaliser]);
    const known =
      laws.get(key) ??
      timesDrawn(resolvePlugin<Sampler>(registry, query.sampler), query.from.normaliser, adjacency, random);
    laws.set(key, known);
    return known;
  };
  return {
    of,
    draw(query, made) {
      const parent = of(query.from);
      const law = times(query);
      const node = add(made, newNode(null, law.length - 1));
      parent.choices.push({
        outcomes: law.map((p, k) => ({ log: Math.log(p), of: 0, times: k })),
        nodes: [node],
      });
    },
    split({ of: whole, order, parts }, made) {
      const parent = of(whole);
      if (
        (parts.by === 'size' || parts.by === 'count') &&
        order === 'stored' &&
        whole.scope === null &&
        parent.place !== null
      ) {
        let from = 0;
        for (const batch of made) {
          const to = from + batch.normaliser;
          const inside = parent.place >= from && parent.place < to;
          const node = add(batch, newNode(inside ? parent.place - from : -1, 1));
          parent.choices.push({ outcomes: [{ log: 0, of: 0, times: Number(inside) }], nodes: [node] });
          from = to;
        }
        return;
      }
      const parent0 = whole.normaliser;
      const shares = made.map(({ normaliser }) => normaliser / parent0);
      const rest = 1 - shares.reduce((sum, share) => sum + share, 0);
      const inPart = shares.map((share, k) => ({ log: Math.log(share), of: k, times: 1 }));
      parent.choices.push({
        outcomes: rest > 1e-12 ? [...inPart, { log: Math.log(rest), of: 0, times: 0 }] : inPart,
        nodes: made.map((batch) => add(batch, newNode(null, parent.most))),
      });
    },
    logLikelihood: (present) => likelihoodOf(root, present ? 1 : 0),
  };
}

function likelihoodOf({ answers, choices }: Node, times: number): number {
  let log = 0;
  for (const answer of answers) log += answer[Math.min(times, answer.length - 1)];
  for (const { outcomes, nodes } of choices) {
    const out = nodes.map((node) => likelihoodOf(node, 0));
    const none = out.reduce((sum, one) => sum + one, 0);
    log +=
      times === 0
        ? none
        : none +
          logSum(
            outcomes.map(
              (outcome) =>
                outcome.log +
                (outcome.times === 0 ? 0 : likelihoodOf(nodes[outcome.of], outcome.times) - out[outcome.of]),
            ),
          );
  }
  return log;
}

/** `ln Σ e^x`, also where all are −∞. */
function logSum(logs: readonly number[]): number {
  const most = Math.max(...logs);
  return Number.isFinite(most)
    ? most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0))
    : most;
}

/** `P(a record is drawn k times)` for `k = 0, 1, …`: from the declared sampler, else from simulation. */
function timesDrawn(
  { plugin, params }: { readonly plugin: Sampler; readonly params: unknown },
  slots: number,
  adjacency: Adjacency,
  random: RandomSource,
): readonly number[] {
  const spec = plugin.amplification(params, slots)[adjacency]?.sampler ?? null;
  if (spec?.kind === 'core/poisson' || spec?.kind === 'core/truncated-poisson')
    return [1 - spec.rate, spec.rate];
  if (spec?.kind === 'core/fixed-size' && !spec.replacement)
    return [1 - spec.size / spec.n, spec.size / spec.n];
  if (spec?.kind === 'core/fixed-size') return binomial(spec.size, 1 / spec.n);
  const draws = 2000;
  const counts = new Float64Array(mostTimes + 1);
  const randomness = random.fork('law of a sampler');
  for (let i = 0; i < draws; i++)
    counts[
      Math.min(
        mostTimes,
        plugin.draw(params, slots, randomness.fork(i)).reduce((sum, at) => sum + Number(at === 0), 0),
      )
    ]++;
  return Array.from(counts, (count) => count / draws);
}

function binomial(trials: number, p: number): readonly number[] {
  const law = [(1 - p) ** trials];
  for (let k = 1; k <= Math.min(trials, mostTimes); k++)
    law.push((law[k - 1] * (trials - k + 1) * p) / (k * (1 - p)));
  return law;
}
