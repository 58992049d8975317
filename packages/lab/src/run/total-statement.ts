import type { TotalHolds } from '@lethe/accountants';
import { deltaText } from '../report/format.js';

/** The condition of the total in words; empty without one. */
export function holdsText(holds: TotalHolds | undefined): string {
  switch (holds?.when) {
    case 'one run':
      return '';
    case 'limit':
      return (
        `if what these runs ask was fixed in advance; epsilon ${holds.epsilon} at delta ` +
        `${deltaText(holds.delta)}, the limit of the data set, holds in any case`
      );
    default:
      return 'if what these runs ask was fixed in advance';
  }
}
