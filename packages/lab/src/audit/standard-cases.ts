import { optimizers } from '@lethe/algorithms';
import type { Adjacency, Budget, Fact, Optimizer, Problem, TrustModel } from '@lethe/core';

/** One optimizer at one of its examples, on a small problem that has every fact an optimizer of this framework reads. */
export interface StandardCase {
  readonly title: string;
  readonly optimizer: Optimizer;
  readonly params: unknown;
  readonly problem: Problem;
  readonly budget: Budget;
}

const dimension = 2;
/** A guarantee that some thousands of runs can say something about. */
const budget: Budget = { epsilon: 2, delta: 1e-2 };

const fact = (value: number, scope: Fact['scope']): Fact => ({ value, scope, provenance: 'declared' });
const coordinates = Array.from({ length: dimension }, (_, j) => j);
const facts: Problem['facts'] = {
  lipschitz: fact(1, 'every-record'), smoothness: fact(1, 'every-record'), range: fact(2, 'every-record'), diameter: fact(2, 'every-record'),
  ...Object.fromEntries(coordinates.flatMap((j) => [[`coordinateLipschitz.${j}`, fact(1, 'every-record')], [`coordinateSmoothness.${j}`, fact(1, 'every-record')]])),
  ...Object.fromEntries(['gradientMoment.2', 'gradientMoment.4', 'uniformGradientMoment.2', 'uniformGradientMoment.4', 'startDistance', 'startGap', 'strongConvexity', 'proximalPolyakLojasiewicz'].map((name) => [name, fact(1, 'population')])),
};

/** Records of a problem by trust: shuffled messages hide nobody among few. */
const slotsBy = { central: 24, shuffle: 400 } as const;

function problemOf(adjacency: Adjacency, model: 'central' | 'shuffle'): Problem {
  const slots = slotsBy[model], trust: TrustModel = model === 'central' ? { model } : { model, honestUsers: slots };
  return {
    adjacency, trust, dimension, slots: [slots], facts,
    domain: { kind: 'domain', name: 'l2-ball', params: { radius: 1 } }, loss: { kind: 'loss', name: 'linear', params: {} },
    capabilities: { convex: true, lipschitz: true, smooth: true, coordinateLipschitz: true, coordinateSmooth: true, linear: true, nullRecord: true },
  };
}

/**
 * What a night audits: every optimizer that ships, at each of its examples, under each adjacency and in each model of trust that it
 * declares. A new optimizer is among them without being listed.
 */
export const standardCases: readonly StandardCase[] = (optimizers as readonly Optimizer[]).flatMap((optimizer) => optimizer.adjacencies.flatMap((adjacency) =>
  (['central', 'shuffle'] as const).filter((model) => optimizer.trustModels.includes(model) && !(model === 'shuffle' && adjacency === 'add-remove')).flatMap((model) =>
    (optimizer.examples ?? []).map((params, k): StandardCase => ({
      title: `${optimizer.name} #${k + 1}, ${adjacency}${model === 'central' ? '' : `, ${model}`}`, optimizer, params, problem: problemOf(adjacency, model), budget,
    })))));
