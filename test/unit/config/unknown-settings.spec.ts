import { readFileSync } from 'node:fs';
import { unknownSettings } from '../../../src/config/unknown-settings.js';

describe('unknown settings', () => {
  it.each([
    ['MASTER_KY', 'MASTER_KEY'],
    ['MASTER-KEY', 'MASTER_KEY'],
    ['master_key', 'MASTER_KEY'],
    ['PREVIOUS_MASTER_KEY', 'PREVIOUS_MASTER_KEYS'],
    ['DATABASES_URL', 'DATABASE_URL'],
    ['REDIS_URI', 'REDIS_URL'],
    ['TRUST_PROXIES', 'TRUST_PROXY'],
    ['S3_BUCKETS', 'S3_BUCKET'],
    ['PROT', 'PORT'],
    ['MARQUEE_MASTER_KEY', 'MASTER_KEY'],
    ['RATE_LIMIT_STATISTIC', 'RATE_LIMIT_STATISTICS'],
  ])('like %s get the name that was probably meant: %s', (given, meant) => {
    expect(unknownSettings({ [given]: 'x' })).toEqual([`${given} is not a setting of Marquee. Did you mean ${meant}?`]);
  });

  it('that begin like ours have no effect', () => {
    expect(unknownSettings({ DATABASE_TIMEOUT: '5', MAX_UPLOAD_SIZE: '5' })).toEqual([
      'DATABASE_TIMEOUT is not a setting of Marquee and has no effect.',
      'MAX_UPLOAD_SIZE is not a setting of Marquee and has no effect.',
    ]);
  });

  it('are not those of the documentation, of the system, of clients or of an orchestrator', () => {
    const table = readFileSync('docs/configuration.md', 'utf8').matchAll(/^\| (`[^|]+)/gm);
    const documented = [...table].flatMap(([, names]) =>
      [...names.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name),
    );
    expect(documented.length).toBeGreaterThan(50);
    const system = `HOME PATH PWD OLDPWD USER SHELL SHLVL TERM LANG LC_ALL TZ MAIL EDITOR HOSTNAME NAME DISPLAY
      NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_VERSION npm_config_cache INIT_CWD COLOR CI DEBUG TMPDIR XDG_CONFIG_HOME
      SSH_AUTH_SOCK KUBERNETES_PORT REDIS_SERVICE_HOST REDIS_SERVICE_PORT REDIS_PORT REDIS_PORT_6379_TCP_ADDR
      MARQUEE_PORT MARQUEE_SERVICE_HOST MARQUEE_CONSUMER_KEY MARQUEE_ACCOUNT_ID OTEL_SERVICE_NAME PGHOST PGPASSWORD
      POSTGRES_PASSWORD AWS_REGION INVOCATION_ID JOURNAL_STREAM`.split(/\s+/);
    const names = [...documented, ...documented.map((name) => `${name}_FILE`), ...system];
    expect(unknownSettings(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  });
});
