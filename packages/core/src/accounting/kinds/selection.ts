import { Unsupported } from '../../errors.js';
import type { Knower } from '../knowledge.js';

/** The known bounds for private selection do not cover a capped stopping rule. */
export const selection: Knower<'core/selection'> = () => {
  throw new Unsupported('private selection cannot be accounted yet', { final: true });
};
