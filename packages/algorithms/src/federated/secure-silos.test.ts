import { driveSync, sameEvent, seededRandom, type Query, type Run, type Vector } from '@lethe/core';
import {
  addendSilo,
  agreementFor,
  heldAddendSilo,
  secureFederation,
  siloCurator,
  type OpenAddendSilo,
} from '@lethe/curator/federation';
import { describe, expect, it } from 'vitest';
import { context } from '../../test/support/logistic.js';
import { dataOf, dimension, problemOf, registry, untrusted } from '../../test/support/silos.js';
import { dpMu2Sgd } from './dp-mu2-sgd.js';

const start = new Float64Array(dimension);
const random = seededRandom('public');
const sums = { silos: 4, corrupted: 1, survivors: 3 };
const slots = [24, 12, 18, 30];
const run = dpMu2Sgd.prepare({
  ...context,
  registry,
  random,
  problem: problemOf(slots, { model: 'secure-aggregation', ...sums }) as never,
  params: { rounds: 6, noiseMultiplier: 3 },
});

const silosFor = (of: Run = run): readonly OpenAddendSilo[] =>
  of.problem.slots.map((n, i) =>
    addendSilo({
      data: dataOf(i, n),
      registry,
      run: 'run',
      planned: of.plan.event,
      random: seededRandom(`silo ${i}`),
      ...sums,
    }),
  );
const { corrupted, survivors } = sums;
const joined = (silos: readonly OpenAddendSilo[], isAbsence?: (error: unknown) => boolean) =>
  secureFederation({
    silos,
    corrupted,
    survivors,
    registry,
    ...(isAbsence === undefined ? {} : { isAbsence }),
  });

describe('dp-mu2-sgd in secure sums', () => {
  it('costs each silo what the plan says, and names what that rests on', () => {
    const silos = silosFor();
    const curator = joined(silos);
    driveSync(run, curator, { start, random });
    for (const silo of silos) expect(sameEvent(silo.charged(), run.plan.event)).toBe(true);
    expect(curator.facts.assumptions).toEqual(['honest-silos', 'computational']);
    expect(run.plan.event).toMatchObject({ kind: 'core/compose' });
  });

  it('is the same run where silos hold the server to an agreement, which no other curator opens', () => {
    const output = [...driveSync(run, joined(silosFor()), { start, random }).output];
    const agreement = agreementFor(run, { name: 'run', start, random });
    const options = (silo: number) => ({
      data: dataOf(silo, slots[silo]),
      registry,
      agreement,
      silo,
      random: seededRandom(`silo ${silo}`),
    });
    const silos = slots.map((_, silo) => heldAddendSilo(options(silo)));
    expect([...driveSync(run, joined(silos), { start, random }).output]).toEqual(output);
    expect(() => siloCurator(options(0))).toThrow(/open it by heldAddendSilo/u);
    const [first] = slots.map((_, silo) => heldAddendSilo(options(silo)));
    expect(() => first.addendAt(0, [])).toThrow(/no increment/u);
    first.answerAt(0, []);
    first.answerAt(1, []);
    expect(first.isSummed(2)).toBe(true);
    expect(() => first.answerAt(2, [start])).toThrow(/secure sum alone/u);
    const { addend } = first.addendAt(2, [start]);
    expect(addend.every(Number.isInteger)).toBe(true);
    expect(first.addendAt(2, [start]).addend).toEqual(addend);
  });

  it('averages over the records of the silos of a round, and carries what a missing silo adds', () => {
    const away = new Error('away');
    const heard: (Vector | null)[][] = [];
    const silos = silosFor().map((silo, i): OpenAddendSilo => ({
      ...silo,
      addendFor(index, query: Query) {
        if (query.ask !== 'push') return silo.addendFor(index, query);
        heard[index - 2] ??= slots.map(() => null);
        const row = heard[index - 2];
        // Silo 0 misses round 2; in round 4 only two are left, too few for a sum.
        if ((index === 3 && i === 0) || (index === 5 && i < 2)) throw away;
        const said = silo.addendFor(index, query);
        row[i] = (said.answer as Vector).slice();
        return said;
      },
    }));
    const curator = joined(silos, (error) => error === away);
    const answers: Vector[] = [];
    driveSync(
      run,
      {
        ...curator,
        answer(index, query) {
          const said = curator.answer(index, query);
          if (query.ask === 'push') answers.push((said.answer as Vector).slice());
          return said;
        },
      },
      { start, random },
    );
    const spacing = (run.plan as unknown as { clip: { params: { spacing: number } } }).clip.params.spacing;
    const sizes = slots.map((n) => Math.floor(n / 6));
    let [total, running] = [0, slots.map(() => 0)];
    heard.forEach((row, t) => {
      running = running.map((one, i) => one + (row[i]?.[0] ?? 0));
      total += answers[t][0];
      const left = row.flatMap((one, i) => (one === null ? [] : [i]));
      if (left.length < survivors) {
        expect(answers[t][0]).toBe(0);
        return;
      }
      const records = left.reduce((sum, i) => sum + sizes[i], 0);
      const average = (left.reduce((sum, i) => sum + running[i], 0) * spacing) / records;
      expect(Math.abs(total - average)).toBeLessThan(1e-9 * (1 + Math.abs(average)));
    });
    expect(answers).toHaveLength(6);
  });

  it('adds noise in shares of which the honest silos of a sum have enough', () => {
    const { noiseMultiplier, clipNorm, clip } = run.plan as unknown as {
      noiseMultiplier: number;
      clipNorm: number;
      clip: { params: { spacing: number } };
    };
    const { spacing } = clip.params;
    const counted = survivors - corrupted;
    const needed = (noiseMultiplier * Math.sqrt(6) * 2 * clipNorm) / spacing;
    expect(needed / Math.sqrt(counted)).toBeLessThanOrEqual(2 ** 14);
    // Noise of silos on records without a gradient, in steps of the grid: one entry of many addends.
    const silos = silosFor();
    const noise: number[] = [];
    driveSync(
      run,
      joined(
        silos.map((silo) => ({
          ...silo,
          addendFor(index, query) {
            const said = silo.addendFor(index, query);
            if (query.ask === 'push') noise.push(...(said.answer as Vector));
            return said;
          },
        })),
      ),
      { start, random },
    );
    // Differences of two noises, beside which records are small.
    const share = needed / Math.sqrt(counted);
    const square = noise.reduce((sum, one) => sum + one ** 2, 0) / noise.length;
    expect(square / ((share ** 2 * (1 + 2 * 5)) / 6)).toBeGreaterThan(0.5);
    expect(square / ((share ** 2 * (1 + 2 * 5)) / 6)).toBeLessThan(2);
  });

  it('is refused where shares do not add up, and for other factorisations', () => {
    const prepare = (params: object) => () =>
      dpMu2Sgd.prepare({
        ...context,
        registry,
        random,
        problem: run.problem as never,
        params: params as never,
      });
    expect(prepare({ rounds: 6, prefixSum: { name: 'binary-tree' } })).toThrow(
      /in secure sums takes fresh noise/u,
    );
    const other = problemOf(slots, untrusted(4));
    expect(other.trust).not.toEqual(run.problem.trust);
  });

  it('takes the rounds that its budget and its bound ask for, and refuses where there is no bound', () => {
    const prepare = (facts: object, trust: Run['problem']['trust'], params: object = {}) =>
      dpMu2Sgd.prepare({
        ...context,
        registry,
        random,
        problem: { ...problemOf([4000, 4000, 4000, 4000], trust), facts } as never,
        params,
      }).plan as Run['plan'] & { readonly rounds: number };
    const every = (value: number) => ({ value, scope: 'every-record', provenance: 'declared' });
    const facts = { lipschitz: every(3), smoothness: every(1) };
    const secure = { model: 'secure-aggregation', ...sums } as const;
    const own = prepare(facts, secure);
    expect(own.rounds).toBeLessThan(4000);
    expect(own.utility?.bound).toBeGreaterThan(0);
    // Where noise decides: it is √2 that of a trusted server here, and 2 times where silos add their own.
    const roundsOf = (trust: Run['problem']['trust']) =>
      prepare(facts, trust, { noiseMultiplier: 400 }).rounds;
    const [least, shared, most] = [
      roundsOf({ model: 'federated', silos: 4, server: 'untrusted' }),
      roundsOf(secure),
      roundsOf({ model: 'federated', silos: 4, server: 'trusted' }),
    ];
    expect(shared / least).toBeCloseTo(Math.SQRT2, 1);
    expect(most / shared).toBeCloseTo(Math.SQRT2, 1);
    expect(() => prepare({}, secure)).toThrow(/give rounds, stepSize and clipNorm/u);
  });

  it('has a smaller bound than silos with noise of their own, and a larger one than a trusted server', () => {
    const bound = (trust: Run['problem']['trust']): number =>
      dpMu2Sgd.prepare({
        ...context,
        registry,
        random,
        problem: problemOf([64, 64, 64, 64], trust) as never,
        params: { rounds: 64, noiseMultiplier: 3 },
      }).plan.utility?.bound ?? Number.NaN;
    const own = bound(untrusted(4));
    const secure = bound({ model: 'secure-aggregation', ...sums });
    const once = bound({ model: 'federated', silos: 4, server: 'trusted' });
    expect(once).toBeLessThan(secure);
    expect(secure).toBeLessThan(own);
  });
});
