import { Unsupported } from '../../errors.js';
import type { Knower } from '../knowledge.js';

export const shuffledLocal: Knower<'core/shuffled-local'> = () => {
  throw new Unsupported('shuffled local randomisers cannot be accounted yet', { final: true });
};
