import { subjectsOf, type Subject } from '@lethe/laws';
import {
  absolute,
  hinge,
  huber,
  linear,
  logistic,
  losses,
  sineLink,
  squared,
  squaredDistance,
} from '@lethe/losses';
import { defineTight } from '../mutant.js';

const tight = (
  plugin: Parameters<typeof subjectsOf>[0] & { readonly name: string },
  params?: unknown,
  how = '',
): ReturnType<typeof defineTight<'loss'>> =>
  defineTight({
    id: `loss-${plugin.name}${how}`,
    kind: 'loss',
    plant: () =>
      subjectsOf(plugin, {
        registry: losses,
        ...(params === undefined ? {} : { params }),
      })[0] as Subject<'loss'>,
  });

export const tightSquared = tight(squared);
export const tightLogistic = tight(logistic);
export const tightLinear = tight(linear);
export const tightHuber = tight(huber);
export const tightAbsolute = tight(absolute);
export const tightHinge = tight(hinge);
export const tightSquaredDistance = tight(squaredDistance);
export const tightFlatDistance = tight(squaredDistance, { scale: 2 ** -20 }, '-flat');
export const tightSteepDistance = tight(squaredDistance, { scale: 1e3 / 3 }, '-steep');
export const tightSineLink = tight(sineLink);
export const tightStraightLink = tight(sineLink, { amplitude: 0 }, '-straight');
/** Its slope almost vanishes once per period. */
export const tightSteppedLink = tight(sineLink, { amplitude: 1 - 2 ** -30 }, '-stepped');
