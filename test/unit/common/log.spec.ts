import { QueryFailedError } from 'typeorm';
import { loggerFor } from '../../../src/common/logging/log.js';
import { logged } from '../../support/logged.js';

describe('the log', () => {
  it('has no rows of a failed statement', async () => {
    const texts = { detail: 'Failing row contains (Zoe).', where: 'JSON data, line 1: {"EMAIL":"Zoe' };
    const driverError = Object.assign(new Error('invalid input'), { code: '22P02', internalQuery: 'Zoe', ...texts });
    const lines = await logged(async () => {
      const logger = loggerFor({ logLevel: 'info', logFormat: 'json' });
      for (const err of [driverError, new QueryFailedError('SELECT', ['Zoe'], driverError)])
        logger.error({ err }, 'a request failed');
      await new Promise((resolve) => setImmediate(resolve));
    });
    expect(lines.match(/"code":"22P02"/g)).toHaveLength(2);
    expect(lines).not.toContain('Zoe');
  });
});
