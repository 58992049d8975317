import {
  defineClaimCheck,
  fails,
  holds,
  nonNegativeMean,
  pool,
  boundedMean,
  type ClaimCheck,
  type Finding,
  type LawEnv,
} from '@lethe/laws';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf } from '../../common/compare.js';
import { tenTo } from '../../common/inputs.js';
import { minus, norm } from '../../common/vectors.js';
import { discreteDistributions, meanVector, rawMoment, samplesOf, spread } from './discrete-distributions.js';
import { clipped, valueOf } from './release.js';
import type { OracleSubject } from './subject.js';

/** Squared noise of whole releases: its mean is `d` times the requested variance. */
function noiseLength(subject: OracleSubject, env: LawEnv): Finding {
  const dimension = 5;
  const scale = 0.7;
  const variance = dimension * scale ** 2;
  const most = nonNegativeMean({ atMost: 1 });
  const least = boundedMean({ atMost: -1, lowest: -4.05 });
  const random = env.random('noise');
  const count = env.samples(3000);
  const evidence = pool([most, least]);
  for (let i = 0; i < count; i++) {
    const value = new Float64Array(dimension);
    subject.gaussian.addNoise({}, value, scale, random);
    const share = norm(value) ** 2 / variance;
    most.push(share);
    // Truncated above four: this removes a hundredth of the mean and less than 1e-3 of the probability.
    least.push(-Math.min(share, 4) * 1.01);
    if (evidence.rejects(env.alpha))
      return fails(i + 1, { what: 'the mean square of the noise is not dσ²', logE: evidence.peak });
  }
  return holds(count);
}

/** Row C19. */
export const clippedMeanVariance = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/clipped-mean-variance',
    tier: 'statistical',
    statement:
      'before noise the variance of the oracle is that of one clipped record divided by s, noise adds ' +
      'dσ² once, and the sum is at most dσ² + r₂/s, the declared bound',
    power:
      'a relative error of 1e-9 of the variance before noise over 100 laws, ' +
      'by enumeration of all samples of up to four records; ' +
      'mean squares of the noise 1.15 times too large or too small within 3000 releases',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({
              distribution: discreteDistributions({ dimensions: 3, most: 4 }),
              clipNorm: tenTo(-2, 2),
              records: fc.integer({ min: 1, max: 4 }),
              noise: tenTo(-3, 1),
            }),
            ({ distribution, clipNorm, records, noise }) => {
              const samples = [...samplesOf(distribution, records)].map(({ sample, probability }) => ({
                value: valueOf(subject.ballMean, { radius: clipNorm }, sample),
                probability,
              }));
              const dimension = distribution.points[0].length;
              const all = {
                points: samples.map(({ value }) => Array.from(value)),
                probabilities: samples.map(({ probability }) => probability),
              };
              const size = Math.min(rawMoment(distribution, 2), clipNorm ** 2);
              const variance = spread(all);
              const secondMoment = rawMoment(distribution, 2);
              const exact =
                spread(distribution, (z) => clipped(subject, clipNorm, z)) / records + dimension * noise ** 2;
              const stated = subject.clippedVariance({
                dimension,
                noiseVariance: noise ** 2,
                secondMoment,
                records,
              });
              const declared = subject.ballMean.varianceBound(
                { radius: clipNorm },
                { dimension, slots: records },
                { order: 2, value: secondMoment },
                noise ** 2,
              );
              return firstOf([
                differs({
                  what: 'the variance before noise',
                  got: variance,
                  want: spread(distribution, (z) => clipped(subject, clipNorm, z)) / records,
                  tolerance: 1e-9,
                  size,
                }),
                exceeds({
                  what: 'how far the mean of the answer is from that of a clipped record',
                  got: norm(
                    minus(
                      meanVector(all),
                      meanVector(distribution, (z) => clipped(subject, clipNorm, z)),
                    ),
                  ),
                  most: 1e-12 * clipNorm,
                }),
                exceeds({ what: 'the variance', got: exact, most: stated + 1e-12 * size, slack: 1e-9 }),
                exceeds({ what: 'the variance', got: exact, most: declared + 1e-12 * size, slack: 1e-9 }),
                exceeds({
                  what: 'what the oracle declares',
                  got: declared,
                  most: stated + 1e-12 * size,
                  slack: 1e-9,
                }),
              ]);
            },
            { runs: 100 },
          ),
        () => noiseLength(subject, env),
      ),
  });
