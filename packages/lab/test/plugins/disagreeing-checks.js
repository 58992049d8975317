import { defineClaimCheck, fails, holds } from '@lethe/laws';

const check = (id, run) => defineClaimCheck({ id, tier: 'exact', statement: id, run });

export const sum = check('toy/sum', () => fails(1, { what: 'two and two are five' }));
export const five = check('toy/five', () => holds(1));
export const even = check('toy/even', () => {
  throw new Error('it fell over');
});
export const odd = check('toy/odd', () => fails(1, { what: 'three is odd' }));
