import { divideUp, sqrtDown } from '@lethe/numerics';

/** Scale of one of so many equal shares of noise, rounded up. */
export const shareOf = (scale: number, shares: number): number =>
  shares === 1 ? scale : divideUp(scale, sqrtDown(shares));
