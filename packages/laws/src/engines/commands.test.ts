import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runCommands, type Step } from './commands.js';

interface Model {
  total: number;
}
interface Meter {
  add(amount: number): void;
  read(): number;
}

const addAny = fc.integer({ min: 1, max: 9 }).map((amount): Step<Model, Meter> => ({
  name: `add(${amount})`,
  run(model, meter) {
    model.total += amount;
    meter.add(amount);
    return undefined;
  },
}));
const read = fc.constant<Step<Model, Meter>>({
  name: 'read()',
  allowed: ({ total }) => total > 0,
  run: ({ total }, meter) => {
    const got = meter.read();
    return got === total ? undefined : `it says ${got} after ${total}`;
  },
});
const steps = [addAny, read];
const honest = (): Meter => {
  let total = 0;
  return {
    add(amount) {
      total += amount;
    },
    read: () => total,
  };
};
const attempt = (make: () => Meter, seed = 1): ReturnType<typeof runCommands> =>
  runCommands({ steps, setup: () => ({ model: { total: 0 }, real: make() }), seed });

describe('sequences of steps', () => {
  it('pass for a correct subject', () => {
    for (let seed = 0; seed < 20; seed++) expect(attempt(honest, seed)).toBeUndefined();
  });
  it('detect a read that modifies its subject, with the fewest steps', () => {
    const worn = (): Meter => {
      const meter = honest();
      return {
        ...meter,
        read() {
          const now = meter.read();
          meter.add(1);
          return now;
        },
      };
    };
    expect(attempt(worn)).toMatchObject({
      what: 'read(): it says 2 after 1',
      input: ['add(1)', 'read()', 'read()'],
      fastCheck: { seed: 1 },
    });
  });
  it('report errors, with their cause', () => {
    const full = (): Meter => {
      const meter = honest();
      return {
        ...meter,
        add(amount) {
          if (meter.read() + amount > 10) throw new RangeError('full');
          meter.add(amount);
        },
      };
    };
    const found = defined(attempt(full));
    expect(found.what).toBe('it throws RangeError: full');
    expect(found.cause).toBeInstanceOf(RangeError);
    expect((found.input as string[]).every((name) => name.startsWith('add('))).toBe(true);
    expect((found.input as string[]).length).toBeLessThanOrEqual(3);
  });
  it('report failures that do not repeat as flaky', () => {
    let made = 0;
    let failed = false;
    const once = (): Meter => ({
      ...honest(),
      add() {
        if (made++ === 3) {
          failed = true;
          throw new RangeError('once');
        }
      },
    });
    const found = runCommands({
      steps: [addAny],
      setup: () => ({ model: { total: 0 }, real: once() }),
      seed: 1,
    });
    expect(failed).toBe(true);
    expect(defined(found).what).toMatch(/^flaky: it throws RangeError: once/u);
  });
  it('are equal for equal seeds, and skip steps that are not allowed', () => {
    const heard = (seed: number): readonly string[] => {
      const names: string[] = [];
      runCommands({
        steps: steps.map((step) =>
          step.map((one) => ({
            ...one,
            run(model: Model, real: Meter) {
              names.push(`${one.name} at ${model.total}`);
              return one.run(model, real);
            },
          })),
        ),
        setup: () => ({ model: { total: 0 }, real: honest() }),
        seed,
      });
      return names;
    };
    expect(heard(3)).toEqual(heard(3));
    expect(heard(3)).not.toEqual(heard(4));
    expect(heard(3).filter((name) => name === 'read() at 0')).toEqual([]);
    expect(heard(3).filter((name) => name.startsWith('read()')).length).toBeGreaterThan(100);
  });
});
