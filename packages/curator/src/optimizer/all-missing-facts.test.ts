import { MissingFact, type Fact } from '@lethe/core';
import { InvalidParameter } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { allMissing } from './all-missing-facts.js';

type Facts = Readonly<Record<string, Fact>>;
const fact = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });

/** Plans that look for facts in order; the last thing that is wrong is no fact. */
const planning =
  (...asked: readonly MissingFact[]) =>
  (facts: Facts): void => {
    for (const error of asked) {
      const isThere = (name: string): boolean => Object.hasOwn(facts, name);
      const isMet = error.need === 'all' ? error.missing.every(isThere) : error.missing.some(isThere);
      if (!isMet) throw error;
    }
    throw new InvalidParameter('rounds are too many', {});
  };

const lipschitz = new MissingFact('no lipschitz', ['lipschitz']);
const smoothness = new MissingFact('no smoothness', ['populationSmoothness', 'smoothness']);
const both = new MissingFact('neither range nor diameter', ['range', 'diameter'], 'all');

const named = (asked: readonly MissingFact[], known: Facts = {}): unknown => {
  const plan = planning(...asked);
  try {
    plan(known);
  } catch (error) {
    return allMissing(error, known, (more) => plan({ ...known, ...more }));
  }
  return undefined;
};

describe('missing facts of a plan', () => {
  it('are named in one error', () => {
    const error = named([lipschitz, smoothness, both]);
    expect(error).toBeInstanceOf(MissingFact);
    expect(error).toMatchObject({
      message: 'no lipschitz; also, no smoothness; also, neither range nor diameter',
      details: { missing: ['lipschitz', 'populationSmoothness', 'smoothness', 'range', 'diameter'] },
    });
  });

  it('leave out what is declared', () => {
    expect(named([lipschitz, smoothness, both], { smoothness: fact(1), lipschitz: fact(2) })).toBe(both);
  });

  it('are told with a declared fact whose name is nearly theirs', () => {
    expect(named([lipschitz], { lipshitz: fact(1) })).toMatchObject({
      message: "nothing reads a fact 'lipshitz'; is 'lipschitz' meant?; also, no lipschitz",
    });
  });

  it('end where a stand-in does not help', () => {
    let tries = 0;
    const error = allMissing(lipschitz, {}, () => {
      tries++;
      throw lipschitz;
    });
    expect(error).toBe(lipschitz);
    expect(tries).toBe(1);
  });

  it('leave other errors alone', () => {
    const other = new InvalidParameter('rounds are too many', {});
    expect(allMissing(other, {}, () => undefined)).toBe(other);
  });
});
