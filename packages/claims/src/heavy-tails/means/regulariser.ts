import type { Optimizer, Vector } from '@lethe/core';
import { defineClaimCheck, fails, holds, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, exceeds } from '../../common/compare.js';
import { answered, finished } from '../../common/finished.js';
import { tenTo } from '../../common/inputs.js';
import { minus, norm } from '../../common/vectors.js';
import { curated, type Curated } from '../curated.js';
import { sizes } from './discrete-distributions.js';
import { valueOf } from './release.js';
import type { OracleSubject } from './subject.js';

const lines = (n: number) =>
  fc.array(fc.array(sizes, { minLength: 2, maxLength: 2 }), { minLength: n, maxLength: n });

/** Row C8. */
export const regulariserIsFree = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/regulariser-is-free',
    tier: 'search',
    statement:
      'steps of the regularised method from one point on neighbouring data ' +
      'end at most 2ηC/n apart, for every strength of the regulariser; ' +
      'neither the clipped gradients nor the noise depend on the strength',
    power:
      'a relative error of 1e-9, over 200 pairs of data with strengths up to 2/η, one a million; two ' +
      'runs at six strengths, to the last bit',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.integer({ min: 1, max: 8 }).chain((n) =>
              fc.record({
                n: fc.constant(n),
                data: lines(n),
                other: lines(1),
                start: lines(1),
                centre: lines(1),
                clipNorm: tenTo(-2, 2),
                eta: tenTo(-6, 0),
                share: fc.integer({ min: 0, max: 20 }),
              }),
            ),
            ({ n, data, other, start, centre, clipNorm, eta, share }) => {
              const strength = share / 10 / eta;
              const domain = subject.buildDomain({ name: 'l2-ball', params: { radius: 2000 } }, 2);
              const meanOf = (gradients: readonly (readonly number[])[]): Vector =>
                valueOf(subject.ballMean, { radius: clipNorm }, gradients);
              const step = (gradients: readonly (readonly number[])[]): Vector =>
                finished(
                  subject.regularisedSubgradient({
                    rounds: 1,
                    stepSize: eta,
                    strength,
                    centre: Float64Array.from(centre[0]),
                    domain,
                    start: Float64Array.from(start[0]),
                    oracle: () => answered(meanOf(gradients)),
                  }),
                );
              const apart = norm(minus(step(data), step([other[0], ...data.slice(1)])));
              return exceeds({
                what: `how far one step of size ${eta} at strength ${strength} comes apart`,
                got: apart,
                most: (2 * eta * clipNorm) / n + 1e-12 * 2000,
              });
            },
            { runs: 200 },
          ),
        () => {
          const at = (strength: number): Curated =>
            curated(subject, {
              optimizer: subject.noisyClippedSubgradient as Optimizer,
              records: 3,
              silent: true,
              features: [
                [3, 1],
                [-2, 5],
                [0.1, 0],
              ],
              params: { rounds: 4, stepSize: 1e-3, strength, clipNorm: 1, noiseMultiplier: 2 },
            });
          const free = at(0);
          const strengths = [1e-3, 1, 10, 100, 1000, 2000];
          for (const strength of strengths) {
            const run = at(strength);
            const same =
              run.releases.length === free.releases.length &&
              run.releases.every(
                ({ value, scale }, i) =>
                  scale === free.releases[i].scale &&
                  value.every((entry, j) => entry === free.releases[i].value[j]),
              );
            if (!same)
              return fails(strengths.indexOf(strength) + 1, {
                what: `what is released, or its noise, is another at strength ${strength}`,
                input: { strength },
              });
          }
          return holds(strengths.length);
        },
      ),
  });
