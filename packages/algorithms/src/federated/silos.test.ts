import {
  driveSync,
  sameEvent,
  seededRandom,
  type Answered,
  type Curator,
  type Run,
  type TrustModel,
} from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import {
  agreedPart,
  agreementFor,
  federation,
  heldRawSilo,
  siloCurator,
  type HeldRawSilo,
} from '@lethe/curator/federation';
import { losses, squaredDistance } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { context } from '../../test/support/logistic.js';
import {
  dataOf,
  dimension,
  problemOf,
  rawSilosFor,
  registry,
  serverOf,
  silosFor,
  trusted,
  untrusted,
} from '../../test/support/silos.js';
import { dpFedAvg } from './dp-fedavg.js';
import { dpMu2Sgd } from './dp-mu2-sgd.js';

type Params = Parameters<typeof dpMu2Sgd.prepare>[0]['params'];
const start = new Float64Array(dimension);
const random = seededRandom('public');
const prepare = (slots: readonly number[], trust: TrustModel, params: Params = { rounds: 6 }): Run =>
  dpMu2Sgd.prepare({ ...context, registry, random, problem: problemOf(slots, trust) as never, params });

describe('dp-mu2-sgd on silos', () => {
  it('is DP-μ²-SGD on one machine, bit for bit, with one silo', () => {
    const alone = prepare([30], { model: 'central' });
    const central = centralCurator({
      data: dataOf(0, 30),
      registry,
      run: 'run',
      planned: alone.plan.event,
      random: seededRandom('silo 0'),
    });
    const { output } = driveSync(alone, central, { start, random });
    const run = prepare([30], untrusted(1));
    const silos = silosFor(run);
    const joined = driveSync(run, federation({ silos }), { start, random });
    expect([...joined.output]).toEqual([...output]);
    expect(sameEvent(run.plan.event, alone.plan.event)).toBe(true);
    expect(run.plan.utility).toEqual(alone.plan.utility);
  });

  it('costs each silo what the plan says, with unequal silos and weights', () => {
    const run = prepare([30, 12, 20], untrusted(3, [0.5, 0.2, 0.3]));
    const silos = silosFor(run);
    const curator = federation({ silos, weights: [0.5, 0.2, 0.3] });
    driveSync(run, curator, { start, random });
    for (const silo of silos) expect(sameEvent(silo.charged(), run.plan.event)).toBe(true);
    expect(sameEvent(curator.spent(), run.plan.event)).toBe(true);
    expect(run.plan.gradients).toBe(11 * (5 + 2 + 3));
    expect(() => driveSync(run, federation({ silos: silosFor(run) }), { start, random })).toThrow(
      /planned for trust/u,
    );
  });

  it('is simulated in sums of any factorisation, which no agreement of real silos takes', () => {
    const model = { model: 'federated', silos: 3, server: 'trusted' } as const;
    const params = { rounds: 6, prefixSum: { name: 'square-root-toeplitz' } };
    const [once, run] = [model, { ...model, simulatedShares: 2 }].map((trust) =>
      prepare([30, 30, 30], trust, params),
    );
    expect(sameEvent(run.plan.event, once.plan.event)).toBe(true);
    expect(() => agreementFor(run, { name: 'run', start, random })).toThrow(/for simulations/u);
    expect(() => agreementFor(once, { name: 'run', start, random })).not.toThrow();
  });

  it('costs silos less whose noise is larger, in plan, ledgers and bound', () => {
    const noiseFactors = [1, 2, 4];
    const params = { rounds: 6, noiseMultiplier: 3, noiseFactors };
    const run = prepare([30, 30, 30], untrusted(3), params);
    const silos = silosFor(run);
    driveSync(run, federation({ silos }), { start, random });
    const agreement = agreementFor(run, { name: 'run', start, random });
    silos.forEach((silo, i) => {
      expect(sameEvent(silo.charged(), agreedPart(agreement, i, registry).event)).toBe(true);
      expect(silo.charged()).toMatchObject({ kind: 'core/gaussian', sigma: 3 * noiseFactors[i] });
    });
    const bound = (factors: readonly number[]): number =>
      prepare([30, 30, 30], untrusted(3), { ...params, noiseFactors: [...factors] }).plan.utility?.bound ??
      Number.NaN;
    // Noise is that of the mean square of the factors.
    expect(bound(noiseFactors) / bound([Math.sqrt(7), Math.sqrt(7), Math.sqrt(7)])).toBeCloseTo(1, 9);
    expect(() => prepare([30, 30, 30], untrusted(3), { ...params, noiseFactors: [1, 2] })).toThrow(
      /one for each silo/u,
    );
    expect(() => prepare([30], { model: 'central' }, { ...params, noiseFactors: [2] })).toThrow(
      /one for each silo/u,
    );
  });

  it('is the same run where silos hold the server to an agreement', () => {
    const run = prepare([30, 12], untrusted(2));
    const output = [...driveSync(run, federation({ silos: silosFor(run) }), { start, random }).output];
    const agreement = agreementFor(run, { name: 'run', start, random });
    const silos = [30, 12].map((slots, silo) =>
      siloCurator({
        data: dataOf(silo, slots),
        registry,
        agreement,
        silo,
        random: seededRandom(`silo ${silo}`),
      }),
    );
    expect([...driveSync(run, federation({ silos }), { start, random }).output]).toEqual(output);
  });

  it('costs a silo all rounds, also by an optimizer that calls unlike ones alike', () => {
    const run = prepare([30, 12], untrusted(2));
    const agreement = agreementFor(run, { name: 'run', start, random });
    const alike = {
      ...dpMu2Sgd,
      fromPlan: (stored: Parameters<typeof dpMu2Sgd.fromPlan>[0]) => {
        const own = dpMu2Sgd.fromPlan(stored);
        return {
          ...own,
          steps: (loops: Parameters<typeof own.steps>[0]) =>
            own.steps({ ...loops, parts: (batches) => loops.parts(batches, () => 'alike') }),
        };
      },
    };
    const part = agreedPart(agreement, 1, [...mechanisms, ...losses, alike]);
    expect(part.gradients).toBe(11 * 2);
    expect(sameEvent(part.event, run.plan.event)).toBe(true);
  });

  it('has queries that a silo can hold its server to, and no more than it works out in minutes', () => {
    const own = [...registry, dpFedAvg];
    const agreedTo = (more: Partial<Parameters<typeof dpFedAvg.prepare>[0]['params']>) => {
      const run = dpFedAvg.prepare({
        ...context,
        registry: own,
        problem: { ...problemOf([30, 12], untrusted(2)), adjacency: 'zero-out' },
        params: { rounds: 5, rate: 0.1, clipNorm: 1, localStep: 0.1, noiseMultiplier: 1e6, ...more },
      });
      return agreedPart(agreementFor(run, { name: 'run', start, random }), 0, own);
    };
    expect(agreedTo({}).queries).toBe(15);
    expect(() => agreedTo({ rounds: 1e9 })).toThrow(/1048576 of them at most.*has 3000000000/u);
    // Counts of updates beyond the clip norm decide the next one, so that no silo knows it beforehand.
    expect(() => agreedTo({ quantile: 0.5 })).toThrow(/'value' queries cannot be agreed to/u);
  });

  it('opens on data of the agreed size, unit, loss and parameters of the loss', () => {
    const run = prepare([30, 12], untrusted(2));
    const agreement = agreementFor(run, { name: 'run', start, random });
    const open = (options: Partial<Parameters<typeof siloCurator>[0]>) =>
      siloCurator({
        data: dataOf(0, 30),
        registry,
        agreement,
        silo: 0,
        random: seededRandom('silo 0'),
        ...options,
      });
    expect(() => open({})).not.toThrow();
    expect(() => open({ data: dataOf(0, 29) })).toThrow(/has 30 records, and these data have 29/u);
    expect(() =>
      open({
        data: dataOf(0, 30, {
          owners: { of: Uint32Array.from({ length: 30 }, (_, i) => i), slots: 30, most: 1 },
        }),
      }),
    ).toThrow(/protects one record, and these data were attached by owner/u);
    expect(() => open({ data: dataOf(0, 30, { loss: squaredDistance({ scale: 0.5 }) }) })).toThrow(
      /with other parameters/u,
    );
    expect(() => open({ data: dataOf(0, 30, { loss: squaredDistance({ scale: 1 }) }) })).not.toThrow();
    for (const entry of [NaN, Infinity])
      expect(() => agreementFor(run, { name: 'run', start: Float64Array.of(0, entry, 0), random })).toThrow(
        /finite numbers/u,
      );
  });

  it('is about the points that a silo checked, whatever their arrays do when they are copied or measured', () => {
    const run = prepare([30, 12], untrusted(2));
    const agreement = agreementFor(run, { name: 'run', start, random });
    const asked = (sent: (point: Float64Array) => readonly Float64Array[], point: Float64Array) => {
      const coins = seededRandom('silo 0');
      const silo = siloCurator({ data: dataOf(0, 30), registry, agreement, silo: 0, random: coins });
      for (const index of [0, 1]) silo.answerAt(index, []);
      const { digest } = silo.answerAt(2, sent(point));
      point[0] = 50;
      return { digest, points: silo.place()?.points };
    };
    const alone = (point: Float64Array): readonly Float64Array[] => [point];
    const inside = Float64Array.of(0.1, 0, 0);
    const honest = asked(alone, inside.slice());
    expect(honest.points).toEqual([inside]);
    class Own extends Float64Array {
      override slice(): Float64Array<ArrayBuffer> {
        return this as never;
      }
    }
    for (let reads = 1; reads <= 30; reads++) {
      const point = new Own(inside);
      let left = reads;
      Object.defineProperty(point, 'length', {
        get() {
          left -= 1;
          if (left === 0) point[0] = 50;
          return inside.length;
        },
      });
      expect(asked(alone, point)).toEqual(honest);
    }
    const listed = (point: Float64Array) => {
      const points = [point];
      return Object.assign(points, { map: () => points });
    };
    expect(asked(listed, inside.slice())).toEqual(honest);
  });

  it('is the same run where silos trust the server and hold it to an agreement', () => {
    const run = prepare([30, 12], trusted(2));
    const output = [...driveSync(run, serverOf(rawSilosFor(run)), { start, random }).output];
    const agreement = agreementFor(run, { name: 'run', start, random });
    const held = (silo: number): HeldRawSilo =>
      heldRawSilo({
        data: dataOf(silo, run.problem.slots[silo]),
        registry,
        agreement,
        silo,
        random: seededRandom(`silo ${silo}`),
      });
    expect([...driveSync(run, serverOf([held(0), held(1)]), { start, random }).output]).toEqual(output);
    const silo = held(0);
    expect(() => silo.sumAt(2, [Float64Array.of(5, 5, 5)])).toThrow(/outside the domain/u);
    expect(silo.recorded()).toBe(0);
    expect(() =>
      siloCurator({ data: dataOf(0, 30), registry, agreement, silo: 0, random: seededRandom('silo 0') }),
    ).toThrow(/open it by heldRawSilo/u);
  });

  it('has one noise of a trusted server, on the ledger of every silo', () => {
    const run = prepare([30, 30, 30, 30], trusted(4));
    const silos = rawSilosFor(run);
    const curator = serverOf(silos);
    expect(curator.facts.assumptions).toContain('trusted-server');
    const { output } = driveSync(run, curator, { start, random });
    for (const silo of silos) expect(sameEvent(silo.charged(), run.plan.event)).toBe(true);
    const other = prepare([30, 30, 30, 30], untrusted(4));
    expect(run.plan.utility?.bound).toBeLessThan(other.plan.utility?.bound ?? 0);
    expect(() => driveSync(other, serverOf(rawSilosFor(run)), { start, random })).toThrow(
      /planned for trust/u,
    );
    // The same silos, started again, and the same noise.
    expect([...driveSync(run, serverOf(rawSilosFor(run)), { start, random }).output]).toEqual([...output]);
  });

  it('draws the noise of a trusted server on the sum, of the scale of one silo over M', () => {
    const run = prepare([30, 30], trusted(2), { rounds: 30, noiseMultiplier: 3 });
    const { clipNorm } = run.plan as never as { clipNorm: number };
    const sums = (noise: boolean): number[][] => {
      const curator = noise
        ? serverOf(rawSilosFor(run))
        : serverOf(
            rawSilosFor(run).map((silo) => ({
              ...silo,
              sumFor: (i: number, q: never) => {
                const { answer, digest } = silo.sumFor(i, q);
                return { answer, digest };
              },
            })) as never,
          );
      const out: number[][] = [];
      const total = new Float64Array(dimension);
      driveSync(
        run,
        {
          ...curator,
          answer: (i, query) => {
            const said = curator.answer(i, query);
            if (query.ask === 'push') {
              (said.answer as Float64Array).forEach((one, j) => (total[j] += one));
              out.push([...total]);
            }
            return said;
          },
        },
        { start, random },
      );
      return out;
    };
    // The first sum is about the same point with noise and without it.
    const [noisy] = sums(true);
    const [bare] = sums(false);
    const scale = (3 * 2 * clipNorm * Math.sqrt(30)) / 2;
    const size = Math.hypot(...noisy.map((one, j) => one - bare[j])) / Math.sqrt(dimension);
    expect(size).toBeGreaterThan(0.1 * scale);
    expect(size).toBeLessThan(3 * scale);
  });

  it('goes on without silos that miss rounds, and charges nobody for it', () => {
    const run = prepare([30, 30, 30], untrusted(3));
    const late = new Error('no answer in time');
    const missing = (silo: number, index: number): boolean => (silo === 1 && index % 3 === 0) || index === 5;
    const open = () => {
      const silos = silosFor(run);
      let asked = 0;
      const curator = federation({
        silos: silos.map((silo, i) => ({
          ...silo,
          answer(index, query) {
            if (i === 0) asked += 1;
            if (query.ask === 'push' && missing(i, asked)) throw late;
            return silo.answer(index, query);
          },
        })),
        isAbsence: (error) => error === late,
      });
      return { silos, curator };
    };
    const { silos, curator } = open();
    const { output } = driveSync(run, curator, { start, random });
    for (const silo of silos) expect(sameEvent(silo.charged(), run.plan.event)).toBe(true);
    expect(silos.map((silo) => silo.recorded())).toEqual([7, 5, 7]);
    expect(output.every(Number.isFinite)).toBe(true);
    const strict = federation({
      silos: silosFor(run).map((silo) => ({
        ...silo,
        answer: (): Answered => {
          throw late;
        },
      })),
    });
    expect(() => driveSync(run, strict, { start, random })).toThrow(late);
  });

  it('is the listing on two silos, in exact numbers, where the projection binds', () => {
    // The unit ball, ½‖x − z‖², η = 1/10, and average noise that takes w − ηq̃ to (3, 4), (−5, 12), (½, ¼).
    const records = [
      [
        [1, 0],
        [0, 1],
        [1 / 2, -1 / 2],
      ],
      [
        [0, 0],
        [-1, 0],
        [0, 1 / 2],
      ],
    ];
    const noise = [
      [-59 / 2, -40],
      [276 / 5, -3377 / 30],
      [-2241 / 260, 328 / 65],
    ];
    const run = dpMu2Sgd.prepare({
      ...context,
      registry,
      random,
      problem: { ...problemOf([3, 3], untrusted(2)), dimension: 2 } as never,
      params: { rounds: 3, stepSize: 0.1, clipNorm: 1e6, clip: 'lemma-4', noiseMultiplier: 1 },
    });
    const increments: number[][][] = [[], []];
    const points: number[][] = [];
    const silos = records.map((own, i) => {
      const allRecords = { id: 'everyone', normaliser: 3, size: 'exact', scope: null } as never;
      let asked = 0;
      const curator: Curator<Answered> = {
        facts: { run: 'golden', simulation: true, assumptions: [] },
        allRecords,
        recorded: () => asked,
        spent: () => run.plan.event,
        replay: () => undefined,
        answer(index, query) {
          asked = index + 1;
          const digest = `${i}${index}`;
          if (query.ask === 'split')
            return {
              digest,
              answer: [0, 1, 2].map((k) => ({
                id: `b${k}`,
                normaliser: 1,
                size: 'exact',
                scope: null,
              })) as never,
            };
          if (query.ask !== 'push') return { digest, answer: { id: 's' } as never };
          const t = index - 2;
          if (i === 0) points.push([...query.of.terms[0].at]);
          const s = [0, 1].map((j) =>
            query.of.terms.reduce((sum, { weight, at }) => sum + weight * (at[j] - own[t][j]), 0),
          );
          increments[i].push(s);
          return {
            digest,
            answer: Float64Array.from(s, (one, j) => one + noise[t][j] - (noise[t - 1]?.[j] ?? 0)),
          };
        },
      };
      return curator;
    });
    const { output } = driveSync(run, federation({ silos }), { start: new Float64Array(2), random });
    const near = (row: readonly number[]): unknown => row.map((one) => expect.closeTo(one, 12));
    expect(points).toEqual(
      [
        [0, 0],
        [2 / 5, 8 / 15],
        [1 / 130, 142 / 195],
      ].map(near),
    );
    expect(increments).toEqual(
      [
        [
          [-1, 0],
          [4 / 5, 1 / 15],
          [-83 / 65, 631 / 390],
        ],
        [
          [0, 0],
          [9 / 5, 16 / 15],
          [-101 / 130, 241 / 390],
        ],
      ].map((rows) => rows.map(near)),
    );
    expect([...output]).toEqual(near([1 / 130, 142 / 195]));
  });
});
