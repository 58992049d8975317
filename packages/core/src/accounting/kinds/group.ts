import { Unsupported } from '../../errors.js';
import type { Knower } from '../knowledge.js';

export const group: Knower<'core/group'> = () => {
  throw new Unsupported('a group of records cannot be accounted yet', { final: true });
};
