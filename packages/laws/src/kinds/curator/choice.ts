import { exponentialEvent, sameEvent, type Adjacency, type Query, type Vector } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import { noiseDistribution } from '../../evidence/index.js';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { noiseOf } from './probes.js';
import { exactly, exponential, type Observer } from './stand-ins/index.js';
import { openFixture, underEach, type Fixture } from './fixture.js';

const epsilon = 3;
/** Candidates: one with zero risk and two with equal risk; the second entry identifies them. */
const points = [0.1, 0.5, 0.9, 0, 0.3, 0.5, 0.7].map((x, i) => Float64Array.of(x, i));
const rows = [
  [0, 0],
  [0, 0],
];
/** Sensitivity of a risk with range 1 over two records, under any adjacency. */
const sensitivity = 1 / rows.length;
const ask = (fixture: Fixture): Query => ({
  ask: 'choose',
  candidates: { by: 'list', points },
  statistic: { of: 'risk' },
  batch: fixture.allRecords,
  selector: exponential,
  target: { epsilon },
});

export const choice = defineLaw({
  id: 'curator/choice',
  kind: 'curator',
  tier: 'statistical',
  invariant: 'I-1',
  statement:
    'A candidate is chosen with probability proportional to exp(−ε · statistic / 2Δ): its utility is ' +
    '−statistic / Δ; the charge is that of the exponential mechanism, and the choice is the whole answer.',
  power:
    'utilities of any other scale, exactly; noise too small by a third, a choice without noise, or a ' +
    'preference for large values, in 2 000 choices',
  cells: underEach,
  check(subject, env) {
    const adjacency: Adjacency = defined(env.cell.adjacency);
    let told: readonly number[] | undefined;
    const observe: Observer = (action) => {
      if (action.did === 'noise' && action.utilities !== undefined) told = action.utilities;
    };
    const open = (randomness: string): Fixture =>
      openFixture(subject, {
        rows,
        adjacency,
        loss: 'boastful',
        labels: [1, 1],
        randomness: env.random(randomness),
        observe,
      });
    const exact = open('exact');
    const risks = points.map((at) =>
      exactly(
        exact.ask<number>({
          ask: 'value',
          statistic: { of: 'risk' },
          at,
          batch: exact.allRecords,
          noise: noiseOf('silent'),
        }),
      ),
    );
    const weights = risks.map((risk) => Math.exp((-epsilon * risk) / (2 * sensitivity)));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const upTo = (x: number): number =>
      x >= weights.length - 1
        ? 1
        : weights.reduce((sum, weight, i) => sum + (i <= x ? weight / total : 0), 0);
    const law = noiseDistribution({ cdf: upTo });
    const draws = env.samples(2000);
    let fixture = open('coins');
    for (let k = 0; k < draws; k++) {
      if (k % 200 === 199) fixture = open(`coins ${k}`);
      const answer = fixture.ask<Vector>(ask(fixture));
      const which = points.findIndex(
        (point) => point.every((x, j) => x === answer[j]) && point.length === answer.length,
      );
      if (which < 0) return fails(k + 1, { what: 'the answer is not a candidate', input: { answer } });
      law.push(which);
      if (law.rejects(env.alpha))
        return fails(k + 1, {
          what: 'candidates are not chosen with the probabilities of the exponential mechanism',
          logE: law.peak,
          input: { risks, probabilities: weights.map((weight) => weight / total) },
        });
      if (k === 0 && told !== undefined) {
        const utilities = told;
        const off = risks.findIndex(
          (risk, i) =>
            !(Math.abs(utilities[i] - utilities[0] - (risks[0] - risk) / sensitivity) <= 1e-6) ||
            utilities.length !== risks.length,
        );
        if (off >= 0)
          return fails(1, {
            what: `the utility of candidate ${off} is not −statistic / Δ, up to one number for all`,
            input: { utilities, risks, sensitivity },
          });
      }
      if (k === 0) {
        const wanted = exponentialEvent(epsilon, { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 });
        if (!sameEvent(fixture.curator.spent(), wanted))
          return fails(1, {
            what:
              `a choice is charged as ${canonicalEvent(fixture.curator.spent())}; ` +
              `it costs ${canonicalEvent(wanted)}`,
          });
      }
    }
    return holds(draws);
  },
});
