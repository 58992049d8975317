import { describeMutants } from './shard.js';

describeMutants(1, 4);
