import { seededRandom } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck } from '@lethe/laws';
import { each } from '../common/each.js';
import { above, first } from '../common/judging.js';
import { squaredNorm } from '../common/vectors.js';
import { driveSilos, privateRun, type Records, type Silos } from './silo-runs.js';
import type { FederatedSubject } from './subject.js';

interface Mean {
  readonly mean: number;
  /** Of the mean. */
  readonly error: number;
}
const meanOf = (values: readonly number[]): Mean => {
  const mean = values.reduce((sum, one) => sum + one / values.length, 0);
  const variance = values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (values.length - 1);
  return { mean, error: Math.sqrt(variance / values.length) };
};

const dimension = 5;
/**
 * Records 0.4e₁ ± 0.3e₂ + u/2, u on the unit sphere; the sign is the silo's, so that the minimiser is 0.4e₁.
 */
function sphere(name: string, M: number, slots: number): readonly Records[] {
  const random = seededRandom(name);
  return each(M, (i) =>
    each(slots, () => {
      const u = [...random.gaussianInto(new Float64Array(dimension))];
      const length = Math.sqrt(squaredNorm(u));
      return u.map((one, j) => one / (2 * length) + (j === 0 ? 0.4 : 0) + (j === 1 ? 0.3 * (-1) ** i : 0));
    }),
  );
}

/** Rows 52, 53 and 67: what runs on silos lose. */
export function siloUtilityChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  /** Excess risk of runs on four silos of 1024 records, about a known minimiser. */
  const excess = (name: string, repetitions: number, params: object): Mean =>
    meanOf(
      each(repetitions, (k) => {
        const silos: Silos = {
          dimension,
          records: sphere(`${name}/${k}`, 4, 1024),
          randomness: `${name}/${k}`,
        };
        const run = privateRun(
          subject,
          silos,
          { lipschitz: 2, smoothness: 1 },
          {
            clip: 'lemma-4',
            noiseMultiplier: 1,
            ...params,
          },
        );
        const { output } = driveSilos(subject, run, silos);
        return squaredNorm(output.map((one, j) => one - (j === 0 ? 0.4 : 0))) / 2;
      }),
    );
  /** Excess of linear losses of slope (1/2, 0, …): all of it comes from noise. */
  const linearExcess = (M: number, server: 'trusted' | 'untrusted', repetitions: number): Mean => {
    const T = 128;
    const d = 20;
    const record = each(d, (j) => (j === 0 ? -0.5 : 0));
    return meanOf(
      each(repetitions, (k) => {
        const silos: Silos = {
          dimension: d,
          records: each(M, () => each(T, () => record)),
          loss: 'linear',
          server,
          randomness: `linear/${k}`,
        };
        const run = privateRun(
          subject,
          silos,
          { lipschitz: 1, smoothness: 0 },
          {
            schedule: 'printed',
            noiseMultiplier: 1,
          },
        );
        return 0.5 + 0.5 * driveSilos(subject, run, silos).output[0];
      }),
    );
  };
  /** Within so many standard errors of a number that is known to a few percent itself. */
  const near = (what: string, { mean, error }: Mean, wanted: number, known = 0.03) =>
    above(
      `${what}: ${mean}, apart from ${wanted}`,
      Math.abs(mean - wanted),
      4 * Math.hypot(error, known * wanted),
      0,
    );

  return [
    defineClaimCheck({
      id: 'reshef-levy/rate-in-silos',
      tier: 'statistical',
      statement:
        'where all excess comes from noise, four times the silos halve it with an untrusted server, and ' +
        'quarter it with a trusted one',
      power: 'noise of a trusted server that is √M times as large',
      run() {
        const one = linearExcess(1, 'untrusted', 36);
        const ratio = (server: 'trusted' | 'untrusted'): Mean => {
          const four = linearExcess(4, server, 36);
          return {
            mean: four.mean / one.mean,
            error: (four.mean / one.mean) * Math.hypot(four.error / four.mean, one.error / one.mean),
          };
        };
        return judge(
          2,
          near('the ratio with a trusted server', ratio('trusted'), 0.25, 0.02) ??
            near('with an untrusted one', ratio('untrusted'), 0.5, 0.02),
        );
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/steps-of-silos',
      tier: 'statistical',
      statement:
        'on four silos of 1024 records the excess is within a factor 10 of the least over steps from ' +
        '1/16 to 16 times η',
      power: 'steps of 1000 times η',
      run() {
        const silos: Silos = { dimension, records: sphere('planned', 4, 1024) };
        const { plan } = privateRun(
          subject,
          silos,
          { lipschitz: 2, smoothness: 1 },
          {
            rounds: 1024,
            clip: 'lemma-4',
            noiseMultiplier: 1,
          },
        );
        const { stepSize } = plan as unknown as { readonly stepSize: number };
        const found: { readonly factor: number; readonly mean: number }[] = [];
        const worst = () =>
          first(
            ...found.map(({ factor, mean }) =>
              above(`the excess at ${factor}η`, mean, 10 * Math.min(...found.map((one) => one.mean)), 0),
            ),
          );
        // The least so far is no less than that of all, so that what is above it is above that too.
        for (const factor of [1, 16, 1 / 16, 4, 1 / 4]) {
          if (worst() !== undefined) break;
          const { mean } = excess('steps', 2, { rounds: 1024, stepSize: factor * stepSize });
          found.push({ factor, mean });
        }
        return judge(found.length, worst());
      },
    }),
    defineClaimCheck({
      id: 'reshef-levy/batches-of-silos',
      tier: 'statistical',
      statement: 'four silos of 1024 records lose .0035, .0030 and .0020 in batches of 1, 4 and 16',
      power: 'twice the noise',
      run() {
        const one = excess('one', 5, { rounds: 1024 });
        const sixteen = excess('sixteen', 50, { rounds: 64 });
        return judge(
          3,
          near('batches of 1', one, 0.0035, 0.05) ??
            near('of 16', sixteen, 0.002, 0.05) ??
            above('batches of 16 against those of 1', sixteen.mean, one.mean, 0) ??
            near('of 4', excess('four', 14, { rounds: 256 }), 0.003, 0.05),
        );
      },
    }),
  ];
}
