import {
  composedEvent,
  driveSync,
  eventKindsOf,
  findPlugin,
  hasKind,
  parseEvent,
  type Optimizer,
  type PrivacyEvent,
  type Run,
  type StoredPlan,
  type Vector,
} from '@lethe/core';
import type { ScoredPoint } from '@lethe/core/internal';
import {
  IncompatiblePlugins,
  InvalidParameter,
  seededRandom,
  Unsupported,
  type RandomSource,
} from '@lethe/numerics';
import { openLedger } from '../../ledger/index.js';
import type { PublicContext } from '../context.js';
import { chargedTo } from '../data-set.js';
import type { Handler } from '../handlers.js';
import type { CuratorOptions, OpenCurator } from '../open-curator.js';
import { planNoise, sizeOf } from '../sensitivity.js';
import { planStatistic } from '../statistic.js';
import { assertVector } from '../validate.js';
import { noised } from './noised.js';
import { numberOfRuns } from './number-of-runs.js';

/**
 * Private selection. The charge is that of the selection from the base's event together with its score, and
 * is made before the first run. Each run has a curator and public coins of its own, and is held to the event
 * of the base. The number of runs is drawn from randomness alone.
 *
 * A run that fails ends the query, as if it had had the least score of all: that any run failed is one more
 * output of the base, which the event of the selection covers. Which one failed is not told. How long an
 * answer takes tells the number of runs to whoever can time the curator.
 *
 * The base sees the answers of all its runs. It is trusted with them as a loss is with records: one that
 * keeps what it sees, or that asks otherwise when it is run again, makes the certificate void. The laws of
 * optimizers try the second.
 *
 * @param open - Opens the curator of one run.
 * @see Liu, Talwar 2019, Theorem 3.4, and Papernot, Steinke 2022, for the mechanism; the events
 * `core/selection`, `core/negative-binomial-selection` and `core/poisson-selection`, for its cost.
 */
export const selectionBy =
  (open: (options: CuratorOptions) => OpenCurator): Handler<'select'> =>
  (context, { base, start, batch: token, score, ...runs }) => {
    const { registry, allRecords, allowUnprotected, adjacency, dimension } = context;
    const number = numberOfRuns(runs);
    assertVector('the start', start, dimension);
    const batch = context.batch(token);
    if (batch.id !== allRecords.id)
      throw new Unsupported(
        `a selection runs on all records, and batch '${batch.id}' is a part of them; give allRecords`,
        { batch: batch.id },
      );
    const run = runOf(context, base);
    const { statistic } = score;
    const { sensitivity, valueAt } = planStatistic(context, statistic, batch.normaliser);
    const scoring = planNoise(context, score.noise.mechanism, score.noise.target, sensitivity, {
      norm: 'any',
      length: 1,
      integers: false,
      size: sizeOf(sensitivity, batch.normaliser),
    });
    const planned = eventOf(context, run);
    return {
      effect: {
        charge: {
          on: batch.stretch,
          event: number.event(composedEvent([planned, scoring.event])),
        },
      },
      isOfRegistry: true,
      blank: () => ({ point: new Float64Array(dimension), score: 0 }),
      release({ data, rows, randomness }) {
        const ownCharges = chargedTo(data, openLedger({ adjacency }));
        const oneRun = (name: string, random: RandomSource): Vector => {
          const curator = open({
            data: ownCharges,
            registry,
            run: name,
            random: random.fork('curator'),
            planned,
            allowUnprotected,
            publicSlots: allRecords.normaliser,
          });
          const { output } = driveSync(run, curator, { start, random: random.fork('public') });
          curator.end();
          if (output.length !== dimension)
            throw new IncompatiblePlugins(
              `optimizer '${run.name}' ended at a point of ${output.length} entries; a point of this ` +
                `problem has ${dimension}`,
              { optimizer: run.name, length: output.length, dimension },
            );
          // A base may use the array again in its next run.
          return output.slice();
        };
        const all = rows(batch);
        const isLast = number.lastBy(randomness().fork('stops'));
        let best: ScoredPoint | undefined;
        for (let k = 1; ; k++) {
          const own = randomness().fork(`run ${k}`);
          const point = oneRun(`run ${k}`, own);
          const [scored] = noised(Float64Array.of(valueAt(data, all, point)), scoring, () => own);
          if (best === undefined || scored < best.score) best = { point, score: scored };
          if (isLast()) return best;
        }
      },
    };
  };

/** The run of the base, which has to be planned for the curator's problem. */
function runOf(context: PublicContext, plan: StoredPlan): Run {
  const { registry } = context;
  const optimizer = findPlugin<Optimizer>(registry, 'optimizer', String(plan.optimizer));
  if (optimizer.stopping === 'adaptive')
    throw new Unsupported(
      `optimizer '${optimizer.name}' stops by its answers, under a privacy filter; a selection repeats ` +
        'runs whose event is known beforehand. Take another base.',
      { optimizer: optimizer.name },
    );
  // The price of the steps is compared with the plan's; the randomness of a run comes from that of the query.
  const run = optimizer.fromPlan({ plan, registry, random: seededRandom('price of a base') });
  const differs = differenceOf(context, run);
  if (differs !== null)
    throw new InvalidParameter(
      `the base of a selection, optimizer '${run.name}', was planned for another ${differs} than the ` +
        'curator has; plan it for the problem of the selection',
      { optimizer: run.name, differs },
    );
  return run;
}

function differenceOf(
  { adjacency, dimension, allRecords, loss }: PublicContext,
  { problem }: Run,
): string | null {
  if (problem.adjacency !== adjacency) return 'adjacency';
  if (problem.trust.model !== 'central') return 'model of trust';
  if (problem.dimension !== dimension) return 'dimension';
  if (problem.slots.length !== 1 || problem.slots[0] !== allRecords.normaliser) return 'number of records';
  // Gradients are those of the curator's own loss; its name is what a plan can be compared by.
  return problem.loss.name === loss.name ? null : 'loss';
}

/** What the plan says a run costs: the curator of a run refuses whatever is no part of it. */
function eventOf({ registry, allowUnprotected }: PublicContext, { name, plan }: Run): PrivacyEvent {
  const event = parseEvent(plan.event, eventKindsOf(registry));
  if (!allowUnprotected && hasKind(event, 'core/unprotected'))
    throw new Unsupported(
      `the base of a selection, optimizer '${name}', releases without noise, and this curator does not`,
      { optimizer: name },
    );
  return event;
}
