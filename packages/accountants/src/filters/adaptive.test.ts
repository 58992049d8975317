import type { PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approximateFilter,
  approximateOdometer,
  type Odometer,
  readingsOf,
  renyiFilter,
  renyiOdometer,
  reviveFilter,
  reviveOdometer,
  zcdpFilter,
  zcdpOdometer,
} from './index.js';

/*
 * Every transcript of an interaction whose next event depends on the answers, with its probabilities under
 * two neighbours. An (ε, δ)-private event is the worst there is: two answers with odds e^ε, and two that give
 * the data away.
 */
const adjacency = 'replace-one';
const event = (epsilon: number, delta: number): PrivacyEvent & { epsilon: number } => ({
  kind: delta === 0 ? 'core/pure' : 'core/approximate',
  v: 1,
  epsilon,
  ...(delta === 0 ? {} : { delta }),
});

interface Leaf {
  readonly p: number;
  readonly q: number;
}
interface Step {
  readonly epsilon: number;
  readonly delta: number;
}
/** What to ask after a history of answers; nothing to stop. */
type Strategy = (history: readonly number[], loss: number) => Step | undefined;

function answers({ epsilon, delta }: Step): readonly Leaf[] {
  const likely = (1 - delta) / (1 + Math.exp(-epsilon));
  const unlikely = (1 - delta) / (1 + Math.exp(epsilon));
  const open = [
    { p: likely, q: unlikely },
    { p: unlikely, q: likely },
  ];
  return delta === 0 ? open : [...open, { p: delta, q: 0 }, { p: 0, q: delta }];
}

/**
 * All transcripts; `asks` charges a step to a copy of the state,
 * or refuses it, after which the strategy may ask for half.
 */
function transcripts<State>(
  start: State,
  asks: (state: State, step: Step) => State | undefined,
  strategy: Strategy,
  depth: number,
  visit?: (state: State, leaf: Leaf) => void,
): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const go = (state: State, leaf: Leaf, history: readonly number[]): void => {
    visit?.(state, leaf);
    const wanted =
      history.length < depth && leaf.p > 0 && leaf.q > 0
        ? strategy(history, Math.log(leaf.p / leaf.q))
        : undefined;
    const half = wanted && { epsilon: wanted.epsilon / 2, delta: wanted.delta / 2 };
    for (const step of wanted === undefined ? [] : [wanted, defined(half)]) {
      const next = asks(state, step);
      if (next === undefined) continue;
      answers(step).forEach(({ p, q }, i) => {
        go(next, { p: leaf.p * p, q: leaf.q * q }, [...history, i]);
      });
      return;
    }
    leaves.push(leaf);
  };
  go(start, { p: 1, q: 1 }, []);
  return leaves;
}

const strategies: fc.Arbitrary<Strategy> = fc
  .record({
    seed: fc.integer({ min: 1, max: 1e6 }),
    sizes: fc.array(
      fc.integer({ min: 1, max: 100 }).map((x) => x / 80),
      { minLength: 1, maxLength: 4 },
    ),
    fails: fc.constantFrom(0, 0.004, 0.02),
    mood: fc.constantFrom('any', 'chase', 'quit'),
  })
  .map(({ seed, sizes, fails, mood }) => (history, loss) => {
    // `chase` goes on only while the loss has not come true, `quit` spends more the more it has.
    if (mood === 'chase' && loss > 0.9) return undefined;
    const scale = mood === 'quit' ? 1 + Math.max(0, loss) : 1;
    const choice = history.reduce((hash, answer) => (hash * 31 + answer + 7) % 9973, seed % 9973);
    return { epsilon: scale * sizes[choice % sizes.length], delta: choice % 3 === 0 ? fails : 0 };
  });

const hockeyStick = (leaves: readonly Leaf[], epsilon: number): number =>
  leaves.reduce((sum, { p, q }) => sum + Math.max(0, p - Math.exp(epsilon) * q), 0);

describe('an interaction that a filter ends', () => {
  const limit = { epsilon: 1.5, delta: 0.1 };
  it.each([
    ['zcdp', () => zcdpFilter({ limit, adjacency, failures: 0.03 })],
    ['renyi', () => renyiFilter({ limit, adjacency, failures: 0.03, orders: [2, 4, 9] })],
    ['approximate', () => approximateFilter({ limit, adjacency, failures: 0.03 })],
  ] as const)('is as private as its limit, however it went on: %s', (_name, make) => {
    let most = 0;
    let refused = 0;
    fc.assert(
      fc.property(strategies, (strategy) => {
        const asks = (json: string, { epsilon, delta }: Step): string | undefined => {
          const filter = reviveFilter(JSON.parse(json));
          if (filter.trySpend(event(epsilon, delta))) return JSON.stringify(filter.save());
          refused++;
          return undefined;
        };
        const leaves = transcripts(JSON.stringify(make().save()), asks, strategy, 5);
        expect(leaves.reduce((sum, { p }) => sum + p, 0)).toBeCloseTo(1, 9);
        const delta = hockeyStick(leaves, limit.epsilon);
        most = Math.max(most, delta);
        expect(delta).toBeLessThanOrEqual(limit.delta * (1 + 1e-9));
      }),
      { numRuns: 25 },
    );
    expect(refused).toBeGreaterThan(0);
    expect(most).toBeGreaterThan(0.01);
  });
});

describe('an odometer', () => {
  it.each([
    ['zcdp', zcdpOdometer],
    ['renyi', renyiOdometer],
    ['approximate', approximateOdometer],
  ] as const)('is passed by the loss, at any time, with its probability at most: %s', (_name, make) => {
    const delta = 0.2;
    fc.assert(
      fc.property(strategies, (strategy) => {
        // Whether the loss was ever above the reading travels with the state; a transcript counts once.
        interface State {
          readonly json: string;
          readonly above: boolean;
        }
        const asks = ({ json, above }: State, step: Step): State => {
          const odometer = reviveOdometer(JSON.parse(json));
          odometer.add(event(step.epsilon, step.delta));
          return { json: JSON.stringify(odometer.save()), above };
        };
        let passed = 0;
        const go = (state: State, leaf: Leaf, history: readonly number[]): void => {
          if (leaf.q === 0) return;
          const above =
            Math.log(leaf.p / leaf.q) > reviveOdometer(JSON.parse(state.json)).spent().epsilon * (1 + 1e-12);
          if (above) {
            passed += leaf.p;
            return;
          }
          const step = history.length < 5 ? strategy(history, Math.log(leaf.p / leaf.q)) : undefined;
          if (step === undefined) return;
          const next = asks(state, step);
          answers(step).forEach(({ p, q }, i) => {
            if (p > 0) go(next, { p: leaf.p * p, q: leaf.q * q }, [...history, i]);
          });
        };
        go({ json: JSON.stringify(make({ delta, adjacency }).save()), above: false }, { p: 1, q: 1 }, []);
        expect(passed).toBeLessThanOrEqual(delta);
      }),
      { numRuns: 12 },
    );
  });

  const reading = (odometer: Odometer): number => odometer.spent().epsilon;

  it('shows nothing before anything is spent, and never less than before', () => {
    for (const make of [zcdpOdometer, renyiOdometer, approximateOdometer]) {
      const odometer = make({ delta: 1e-6, adjacency });
      expect(odometer.spent()).toEqual({ epsilon: 0, delta: 1e-6, failures: 0 });
      let last = 0;
      for (let i = 0; i < 40; i++) {
        odometer.add(event(0.02 * (1 + (i % 3)), 0));
        expect(reading(odometer)).toBeGreaterThanOrEqual(last);
        last = reading(odometer);
      }
      odometer.add(event(0.01, 1e-3), 4);
      expect(odometer.spent().failures).toBeCloseTo(4e-3, 12);
      expect(odometer.granted()).toBe(44);
    }
  });

  it('reads the charges of a run in order, as if each were added', () => {
    const charges = [
      { event: event(0.1, 0), count: 3 },
      { event: event(0.2, 1e-4) },
      { event: event(0.05, 0), count: 2 },
    ];
    const [whole, apart] = [
      renyiOdometer({ delta: 1e-6, adjacency }),
      renyiOdometer({ delta: 1e-6, adjacency }),
    ];
    const readings = readingsOf(whole, charges);
    expect(readings).toEqual(
      charges.map((charge) => {
        apart.add(charge.event, charge.count);
        return apart.spent();
      }),
    );
    expect(readings.map(({ failures }) => failures)).toEqual([0, 1e-4, 1e-4]);
    expect(readingsOf(whole, [])).toEqual([]);
  });

  it('is within a third of the filter that is optimal for the same events', () => {
    const delta = 1e-6;
    for (const rho of [1e-3, 0.01, 0.1, 1, 10]) {
      const odometer = zcdpOdometer({ delta, adjacency });
      odometer.add({ kind: 'core/zcdp', v: 1, rho } as PrivacyEvent);
      const best = rho + 2 * Math.sqrt(rho * Math.log(1 / delta));
      expect(reading(odometer)).toBeGreaterThan(best);
      expect(reading(odometer)).toBeLessThan(1.33 * best);
    }
  });

  it('that adds ε and δ reads ε²/2 as ρ', () => {
    const [odometer, concentrated] = [approximateOdometer, zcdpOdometer].map((make) =>
      make({ delta: 1e-6, adjacency }),
    );
    odometer.add(event(0.01, 0), 1e4);
    concentrated.add({ kind: 'core/zcdp', v: 1, rho: 0.5 } as PrivacyEvent);
    expect(reading(odometer) / reading(concentrated)).toBeCloseTo(1, 9);
  });

  it('that adds ε and δ shows their sum if it is less', () => {
    const odometer = approximateOdometer({ delta: 1e-9, adjacency });
    odometer.add(event(0.5, 0));
    odometer.add(event(0.25, 0));
    expect(reading(odometer)).toBe(0.75);
  });
});
