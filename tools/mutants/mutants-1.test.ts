import { describeMutants } from './shard.js';

describeMutants(0, 4);
