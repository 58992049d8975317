import { expect, test } from 'vitest';
import { limitMistakes } from './commands/limit-given.js';
import { assertLimitProtects } from './limit-protects.js';

test.each(['1', '0.5', '1,1e-6', ' 2 , 1e-7 '])('%j is a limit', (text) => {
  expect(limitMistakes(text)).toEqual([]);
});

test.each(['', '0', '-1', '2,0', '1,1e-400', '0,5', '1,1', '1,', '1,1e-6,3', '0x10', 'Infinity', 'one'])(
  '%j is none, and the message says what one is',
  (text) => {
    expect(limitMistakes(text)).toEqual([
      expect.stringContaining(`--limit is '${text}'; it must be epsilon`),
    ]);
  },
);

test('a limit whose delta lets a record be published whole is refused', () => {
  const limit = { epsilon: 1, delta: 0.1 };
  expect(() => assertLimitProtects(limit, 600)).toThrow(
    /--limit: delta 0\.1 is at least 1\/600: publishing one/u,
  );
  expect(() => assertLimitProtects({ epsilon: 1, delta: 1e-6 }, 600)).not.toThrow();
  expect(() => assertLimitProtects({ epsilon: 1 }, 600)).not.toThrow();
});
