import {
  driveSync,
  LetheError,
  sameEvent,
  seededRandom,
  type Clip,
  type Mechanism,
  type Optimizer,
  type Problem,
  type Run,
} from '@lethe/core';
import { logistic } from '@lethe/losses';
import { l2BallDomain } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { expect } from 'vitest';
import { rowsOf } from './cells.js';
import { testGrid } from './grid.js';
import { dimension, namesOf, partsOf, registry, slots, tinyCurator, type Part } from './parts.js';

const optimizers = partsOf<Optimizer>('optimizer');
const mechanisms = partsOf<Mechanism>('mechanism');
const clips = partsOf<Clip>('clip');
const loss = logistic({});
const domain = l2BallDomain({ radius: 1 });

/** Parameters of an optimizer with a part by reference; undefined where its schema takes none. */
function paramsWith({ plugin, params }: Part<Optimizer>, part: Part<Mechanism> | Part<Clip>): unknown {
  const { clipNorm: _, schedule: __, ...rest } = params as Readonly<Record<string, unknown>>;
  const parsed = plugin.params.safeParse({ ...rest, noiseMultiplier: 2, [part.plugin.kind]: part.ref });
  return parsed.data;
}

function prepared({ plugin }: Part<Optimizer>, params: unknown): Run {
  const { facts } = logistic;
  const problem: Problem = {
    adjacency: 'zero-out',
    trust: { model: 'central' },
    dimension,
    slots: [slots],
    domain,
    loss,
    capabilities: logistic.capabilities,
    facts: facts(loss.params as never, {
      columns: dimension,
      featureNorm: 1,
      labelBound: 1,
      iterateNorm: 1,
    }),
  };
  const refuse = (): never => {
    throw new Error('the noise is given');
  };
  return plugin.prepare({
    registry,
    problem,
    budget: { epsilon: 2, delta: 1e-5 },
    params: params as never,
    calibrate: refuse,
    filter: refuse,
    random: seededRandom('plan'),
  });
}

/** Optimizers that take such a part, at the first of their examples that does. */
const taking = (part: Part<Mechanism> | Part<Clip>): readonly string[] => [
  ...new Map(
    [...optimizers]
      .toReversed()
      .flatMap(([name, optimizer]) =>
        paramsWith(optimizer, part) === undefined ? [] : [[optimizer.plugin.name, name] as const],
      ),
  ).values(),
];

/** Runs an optimizer with a part, and compares its ledger with its plan. */
function check(name: string, part: Part<Mechanism> | Part<Clip>, refusal: string | undefined): void {
  const optimizer = defined(optimizers.get(name));
  const prepare = (): Run => prepared(optimizer, paramsWith(optimizer, part));
  if (refusal !== undefined) {
    expect(prepare).toThrow(LetheError);
    expect(prepare).toThrow(part.plugin.name);
    return;
  }
  const run = prepare();
  const curator = tinyCurator('zero-out', loss, name, run.held);
  const { output } = driveSync(run, curator, {
    start: new Float64Array(dimension),
    random: seededRandom('public'),
  });
  expect(output.every(Number.isFinite)).toBe(true);
  curator.end();
  expect(sameEvent(curator.spent(), run.plan.event)).toBe(true);
}

const aMechanism = defined(mechanisms.get('gaussian'));
const aClip = defined([...clips.values()].find(({ plugin }) => plugin.name === 'l2'));
const noisy = { optimizer: taking(aMechanism), mechanism: namesOf(mechanisms) };
const clipping = { optimizer: taking(aClip), clip: namesOf(clips) };

testGrid({
  axes: noisy,
  rows: rowsOf(noisy, { strength: 'cartesian' }),
  by: 'optimizer',
  statement: 'runs with a mechanism by reference, and the ledger says what the plan said',
  cell({ optimizer, mechanism }) {
    const part = defined(mechanisms.get(mechanism));
    const { norm, numerics, scalar, event } = part.plugin;
    const isGaussian = event(part.params as never, 1, { 'zero-out': 1 }).kind === 'core/gaussian';
    let refusal: string | undefined;
    if (norm !== 'l2') refusal = 'a ball has no bound in that norm on what a record moves';
    else if (numerics === 'exact' || scalar === true) refusal = 'the noise is for whole numbers, or for one';
    else if (optimizer.startsWith('snowball-sgd') && !isGaussian)
      refusal = 'noise on steps is proved for Gaussian noise';
    return { refusal, check: () => check(optimizer, part, refusal) };
  },
});

testGrid({
  axes: clipping,
  rows: rowsOf(clipping, { strength: 'cartesian' }),
  by: 'optimizer',
  statement: 'runs with a clip by reference, and the ledger says what the plan said',
  cell({ optimizer, clip }) {
    const part = defined(clips.get(clip));
    const { norm, vectorLength } = part.plugin;
    let refusal: string | undefined;
    if (norm !== 'l2') refusal = 'the noise of a stream is scaled in l2';
    else if ((vectorLength?.(part.params as never) ?? dimension) !== dimension)
      refusal = 'the clip is for vectors of another length';
    return { refusal, check: () => check(optimizer, part, refusal) };
  },
});
