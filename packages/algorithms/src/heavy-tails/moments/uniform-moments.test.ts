import { Unsupported, type Validity } from '@lethe/core';
import { l2Ball, wholeSpace } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { problem } from '../../../test/support/problems.js';
import { knownUniformMoments, uniformMomentsOf } from './uniform-moments.js';

const ball = l2Ball({ dimension: 2, radius: 1 });

const posed = (facts: Readonly<Record<string, number>>, scope: Validity = 'every-record') =>
  problem({ facts, scope });
const of = (facts: Readonly<Record<string, number>>, only?: number) =>
  uniformMomentsOf(posed(facts), ball, only);

describe('uniformMomentsOf', () => {
  it('offers every k whose double is declared, moments of higher orders standing in for lower ones', () => {
    expect(of({ 'uniformGradientMoment.4': 3, 'uniformGradientMoment.6': 5, 'gradientMoment.2': 1 })).toEqual(
      [
        { order: 2, uniformMoment: 3, uniformDoubleMoment: 3, secondMoment: 1, uniformSecondMoment: 3 },
        { order: 3, uniformMoment: 3, uniformDoubleMoment: 5, secondMoment: 1, uniformSecondMoment: 3 },
      ],
    );
    expect(of({ 'uniformGradientMoment.2': 2, 'uniformGradientMoment.4': 3 })).toEqual([
      { order: 2, uniformMoment: 2, uniformDoubleMoment: 3, secondMoment: 2, uniformSecondMoment: 2 },
    ]);
    expect(of({ 'uniformGradientMoment.5': 3 })).toMatchObject([{ order: 2.5 }]);
  });

  it('takes a Lipschitz constant for moments of all orders', () => {
    expect(of({ lipschitz: 4 }).map(({ order }) => order)).toEqual([2, 4, 8, 16]);
    expect(of({ lipschitz: 4, 'uniformGradientMoment.4': 3 })).toContainEqual({
      order: 8,
      uniformMoment: 4,
      uniformDoubleMoment: 4,
      secondMoment: 3,
      uniformSecondMoment: 3,
      longest: 4,
    });
    expect(of({ lipschitz: 4 }, 3)).toMatchObject([
      { order: 3, uniformMoment: 4, uniformDoubleMoment: 4, secondMoment: 4, uniformSecondMoment: 4 },
    ]);
  });

  it('takes none that holds for the population only, or on bounded sets where the domain is not', () => {
    expect(knownUniformMoments(posed({ lipschitz: 4 }, 'population'), ball)).toEqual([]);
    expect(knownUniformMoments(posed({ lipschitz: 4 }), ball)).toHaveLength(4);
    expect(knownUniformMoments(posed({ lipschitz: 4 }), wholeSpace(2))).toEqual([]);
  });

  it('says what is missing', () => {
    expect(
      knownUniformMoments(
        problem({ facts: { 'uniformGradientMoment.3': 1, 'gradientMoment.8': 1 } }),
        wholeSpace(2),
      ),
    ).toEqual([]);
    expect(() => of({ 'uniformGradientMoment.3': 1 })).toThrow(/uniformGradientMoment\.4'/u);
    expect(() => of({ 'uniformGradientMoment.4': 1 }, 3)).toThrow(/uniformGradientMoment\.6'/u);
    expect(() => of({})).toThrow(Unsupported);
  });
});
