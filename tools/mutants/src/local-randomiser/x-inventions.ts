import { subjectsOf, type Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.ts';
import { coinFlips, type CoinFlipBugs } from '../reference/coin-flips.ts';

const source = 'generic';
const planted = (bugs: CoinFlipBugs): Subject<'localRandomiser'> => subjectsOf(coinFlips(bugs))[0] as Subject<'localRandomiser'>;

export const xRandomiser1 = defineMutant({ id: 'X-RANDOMISER-1', title: 'who has nothing to say sends nothing', kind: 'localRandomiser', source, killedBy: ['localRandomiser/messages'], within: 200, plant: () => planted({ silentZero: true }) });
export const xRandomiser2 = defineMutant({ id: 'X-RANDOMISER-2', title: 'ε of 0.95 times the true one', kind: 'localRandomiser', source, killedBy: ['localRandomiser/event'], within: 20, plant: () => planted({ understated: 0.95 }) });
export const xRandomiser3 = defineMutant({ id: 'X-RANDOMISER-3', title: 'the estimate forgets that some lie', kind: 'localRandomiser', source, killedBy: ['localRandomiser/unbiased'], within: 5, plant: () => planted({ uncorrected: true }) });
export const xRandomiser4 = defineMutant({ id: 'X-RANDOMISER-4', title: 'the first message counts twice', kind: 'localRandomiser', source, killedBy: ['localRandomiser/order'], within: 50, plant: () => planted({ firstTwice: true }) });
export const xRandomiser5 = defineMutant({ id: 'X-RANDOMISER-5', title: 'takes any number of honest users', kind: 'localRandomiser', source, killedBy: ['localRandomiser/honest-users'], within: 6, plant: () => planted({ trusting: true }) });
export const xRandomiser6 = defineMutant({ id: 'X-RANDOMISER-6', title: 'nobody lies', kind: 'localRandomiser', source, killedBy: ['localRandomiser/hockey-stick'], within: 6000, plant: () => planted({ honest: true }) });
