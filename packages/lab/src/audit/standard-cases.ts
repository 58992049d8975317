import { renyiLimit } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import {
  LetheError,
  seededRandom,
  type Adjacency,
  type Budget,
  type Calibrate,
  type Fact,
  type Optimizer,
  type Problem,
  type Registry,
  type TrustModel,
} from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import { isFollowed, type AuditCase } from './audit-case.js';

const dimension = 2;
/** A budget at which some thousands of runs can detect violations. */
const budget: Budget = { epsilon: 2, delta: 1e-2 };
/** What plans name: parts of optimizers, and the optimizers that others repeat. */
const parts: Registry = [...mechanisms, ...optimizers];
const publicCoins = seededRandom('public coins of an audit');

const fact = (value: number, scope: Fact['scope']): Fact => ({ value, scope, provenance: 'declared' });
const coordinates = Array.from({ length: dimension }, (_, j) => j);
const facts: Problem['facts'] = {
  lipschitz: fact(1, 'every-record'),
  smoothness: fact(1, 'every-record'),
  range: fact(2, 'every-record'),
  diameter: fact(2, 'every-record'),
  ...Object.fromEntries(
    coordinates.flatMap((j) => [
      [`coordinateLipschitz.${j}`, fact(1, 'every-record')],
      [`coordinateSmoothness.${j}`, fact(1, 'every-record')],
    ]),
  ),
  ...Object.fromEntries(
    [
      'gradientMoment.2',
      'gradientMoment.4',
      'uniformGradientMoment.2',
      'uniformGradientMoment.4',
      'startDistance',
      'startGap',
      'strongConvexity',
      'proximalPolyakLojasiewicz',
    ].map((name) => [name, fact(1, 'population')]),
  ),
};

type Model = 'central' | 'shuffle';
/**
 * Numbers of records, the smallest first, where samplers draw the canary often. Shuffling needs many records.
 */
const slotsBy: Readonly<Record<Model, readonly number[]>> = { central: [8, 24], shuffle: [400] };

function problemOf(adjacency: Adjacency, model: Model, slots: number): Problem {
  const trust: TrustModel = model === 'central' ? { model } : { model, honestUsers: slots };
  return {
    adjacency,
    trust,
    dimension,
    slots: [slots],
    facts,
    domain: { kind: 'domain', name: 'l2-ball', params: { radius: 1 } },
    loss: { kind: 'loss', name: 'linear', params: {} },
    capabilities: {
      convex: true,
      lipschitz: true,
      smooth: true,
      coordinateLipschitz: true,
      coordinateSmooth: true,
      linear: true,
      nullRecord: true,
    },
  };
}

/** Fixed noise: enough to find out whether a plan exists. */
const someNoise: Calibrate = () => ({
  value: 10,
  achieved: { lower: 0, upper: 1, certificate: 'estimate', method: 'none', assumptions: [] },
});

function isAuditable({
  optimizer,
  params,
  problem,
}: Pick<AuditCase, 'optimizer' | 'params' | 'problem'>): boolean {
  try {
    const run = optimizer.prepare({
      registry: parts,
      problem,
      budget,
      params,
      calibrate: someNoise,
      filter: renyiLimit(),
      random: publicCoins,
    });
    return isFollowed(run);
  } catch (error) {
    if (error instanceof LetheError) return false;
    throw error;
  }
}

/**
 * Cases of the nightly audit of an optimizer: each example, adjacency and trust model that it declares, on
 * the smallest of a few problems for which a plan exists. Trust models that an example does not support are
 * left out.
 */
export function casesOf(optimizer: Optimizer): readonly AuditCase[] {
  const models = (['central', 'shuffle'] as const).filter((model) => optimizer.trustModels.includes(model));
  return optimizer.adjacencies.flatMap((adjacency) =>
    models.flatMap((model) =>
      (optimizer.examples ?? []).flatMap((params, k): readonly AuditCase[] => {
        const title = `${optimizer.name} #${k + 1}, ${adjacency}${model === 'central' ? '' : `, ${model}`}`;
        const problem = slotsBy[model]
          .map((slots) => problemOf(adjacency, model, slots))
          .find((candidate) => isAuditable({ optimizer, params, problem: candidate }));
        return problem === undefined ? [] : [{ title, optimizer, params, problem, budget, publicCoins }];
      }),
    ),
  );
}

/** The cases of every optimizer that ships. */
export const standardCases = (): readonly AuditCase[] =>
  (optimizers as readonly Optimizer[]).flatMap(casesOf);
