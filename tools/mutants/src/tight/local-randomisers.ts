import { subjectsOf, type Subject } from '@lethe/laws';
import { defineTight } from '../mutant.ts';
import { coinFlips } from '../reference/coin-flips.ts';

const at = (id: string, index: number): ReturnType<typeof defineTight<'localRandomiser'>> => defineTight({ id, kind: 'localRandomiser', plant: () => subjectsOf(coinFlips())[index] as Subject<'localRandomiser'> });

export const tightCoinFlips = at('coin-flips', 0);
export const tightWideCoinFlips = at('coin-flips-wide', 1);
