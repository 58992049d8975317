import { dpSgd } from './abadi/dp-sgd.js';
import { oneRecordSgd } from './bassily/one-record-sgd.js';
import { heavyTailedGradientDescent } from './kamath/heavy-tailed-gradient-descent.js';
import { adaptiveDpSgd } from './lee/adaptive-dp-sgd.js';
import { localizedStronglyConvex } from './lowy/localized-strongly-convex.js';
import { localizedSubgradient } from './lowy/localized-subgradient.js';
import { noisyAcSa, noisyClippedAcSa } from './lowy/noisy-clipped-ac-sa.js';
import { noisyClippedProximalSgd, noisyProximalSgd } from './lowy/noisy-clipped-proximal-sgd.js';
import { noisyClippedSgd, noisySgd } from './lowy/noisy-clipped-sgd.js';
import { noisyClippedSubgradient } from './lowy/noisy-clipped-subgradient.js';
import { dpCd } from './maranjyan/dp-cd.js';
import { dpSkgd } from './maranjyan/dp-skgd.js';
import { noisyGradientDescent } from './maranjyan/noisy-gradient-descent.js';
import { dpSvrg } from './wang/dp-svrg.js';

/** Every private optimizer of this package. */
export const optimizers = [dpSgd, adaptiveDpSgd, noisyClippedAcSa, noisyClippedSgd, noisyClippedProximalSgd, noisyAcSa, noisySgd, noisyProximalSgd, noisyClippedSubgradient, localizedSubgradient, localizedStronglyConvex, heavyTailedGradientDescent, dpSkgd, dpCd, noisyGradientDescent, oneRecordSgd, dpSvrg] as const;
