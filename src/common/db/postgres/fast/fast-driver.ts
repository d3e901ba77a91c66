import type { Driver } from '../driver.js';
import { PipelinedConnections } from './pipelined-connections.js';
import { preparedQuery } from './prepared-query.js';
import { WireClient } from './wire-client.js';

/**
 * Depends on pg's internals; everything in this folder may break with another version of pg. Only `chooseDriver` loads
 * it, which checks it and works without it (docs/decisions/0009).
 */
export const FAST_DRIVER: Driver = {
  name: 'fast',
  Client: WireClient,
  query: preparedQuery,
  pipelined: (settings, max) => new PipelinedConnections(settings, max),
};
