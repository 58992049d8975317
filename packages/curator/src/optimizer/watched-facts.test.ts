import type { Fact } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { InvalidParameter } from '@lethe/numerics';
import { watchedFacts } from './watched-facts.js';

const fact = (provenance: Fact['provenance'] = 'declared'): Fact => ({
  value: 1,
  scope: 'population',
  provenance,
});

describe('watchedFacts', () => {
  it('refuses a declared fact whose name is nearly that of one looked for in vain', () => {
    const { facts, finish } = watchedFacts({ populationSmothness: fact() });
    expect(facts['populationSmoothness']).toBeUndefined();
    expect(finish).toThrow(InvalidParameter);
    expect(finish).toThrow(/'populationSmothness'.*'populationSmoothness' was looked for/u);
  });

  it('notices a look by in as well', () => {
    const { facts, finish } = watchedFacts({ startgap: fact() });
    expect('startGap' in facts).toBe(false);
    expect(finish).toThrow(/'startGap'/u);
  });

  it('leaves alone what is found, what is far, what follows from a domain, orders and coordinates', () => {
    const { facts, finish } = watchedFacts({
      smoothness: fact(),
      'gradientMoment.2': fact(),
      smothness: fact('from-domain'),
      mine: fact(),
    });
    expect(
      [
        facts['smoothness'],
        facts['populationSmoothness'],
        facts['gradientMoment.4'],
        facts['smoothnes.0'],
        facts['strongConvexity'],
      ].map((found) => found?.value),
    ).toEqual([1, undefined, undefined, undefined, undefined]);
    expect(Object.keys(facts)).toEqual(['smoothness', 'gradientMoment.2', 'smothness', 'mine']);
    expect(finish).not.toThrow();
  });

  it('tells which facts were read: not those that were only listed, or asked whether they are there', () => {
    const { facts, read } = watchedFacts({
      smoothness: fact(),
      startGap: fact(),
      'gradientMoment.2': fact(),
      'gradientMoment.4': fact(),
    });
    expect([Object.keys(facts).length, 'startGap' in facts, facts['lipschitz'], read()]).toEqual([
      4,
      true,
      undefined,
      [],
    ]);
    expect(facts['gradientMoment.2']?.value).toBe(1);
    expect(facts['smoothness']?.value).toBe(1);
    expect(facts['gradientMoment.2']?.value).toBe(1);
    expect(read()).toEqual(['gradientMoment.2', 'smoothness']);
  });
});
