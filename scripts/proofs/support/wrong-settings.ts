/** What settings can be wrong about, and where. */
export interface Premises {
  /** A server whose database `marquee` is up to date, `empty` is not, and `shared` is that of replicas with a folder of their own. */
  databaseUrl(database: string, user?: string): string;
  /** A port on which nobody listens. */
  closedPort: number;
  /** One on which somebody accepts connections and says nothing. */
  silentPort: number;
  /** The port and the data directory of a service that runs on the embedded store. */
  running: { port: number; dataDir: string };
  /** The data directory of a service that ran on the embedded store. */
  used: string;
  /** A file. */
  file: string;
  /** A directory in which only its owner may write. */
  closed: string;
  /** A directory on a disk with next to no room; absent where none can be made. */
  full?: string;
}

export interface WrongSetting {
  name: string;
  environment(premises: Premises): Record<string, string>;
  /** What the sentence has to name, so that whoever reads it knows what to change. */
  says: RegExp;
  /** Started by a user who owns nothing. */
  asNobody?: boolean;
  /** Not made where the premises do not have it. */
  needs?: keyof Premises;
}

export const MASTER_KEY = Buffer.alloc(32, 'operator').toString('base64');
const OTHER_KEY = Buffer.alloc(32, 'another').toString('base64');

/** A production that would start. */
const production = ({ databaseUrl }: Premises): Record<string, string> => ({
  NODE_ENV: 'production',
  MASTER_KEY,
  BASE_URL: 'https://ads.example.com',
  DATABASE_URL: databaseUrl('marquee'),
});

const without = (name: string, all: Record<string, string>) =>
  Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));

/** A production with one or more variables that are wrong. */
const wrong = (name: string, says: RegExp, given: (premises: Premises) => Record<string, string>): WrongSetting => ({
  name,
  says,
  environment: (premises) => ({ ...production(premises), ...given(premises) }),
});

/** A start on the embedded store, outside production. */
const embedded = (
  name: string,
  says: RegExp,
  environment: WrongSetting['environment'],
  more: Pick<WrongSetting, 'asNobody' | 'needs'> = {},
): WrongSetting => ({ name, says, environment, ...more });

const at = (port: number) => `postgres://somebody@127.0.0.1:${port}/marquee`;

export const WRONG_SETTINGS: WrongSetting[] = [
  {
    name: 'production without a database',
    says: /^The configuration is not usable: DATABASE_URL: is not set; .*EMBEDDED_STORE=allow/,
    environment: (premises) => without('DATABASE_URL', production(premises)),
  },
  {
    name: 'the name DATABASE_URL mistyped',
    says: /DATABASE_URL: is not set, but DATABASE_URI holds such a URL/,
    environment: (premises) => ({
      ...without('DATABASE_URL', production(premises)),
      DATABASE_URI: premises.databaseUrl('marquee'),
    }),
  },
  wrong('a database of another kind', /DATABASE_URL: must be a URL that begins with postgres:/, () => ({
    DATABASE_URL: 'mysql://db/marquee',
  })),
  wrong('nobody listens', /DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/, (premises) => ({
    DATABASE_URL: at(premises.closedPort),
    DATABASE_WAIT_SECONDS: '1',
  })),
  wrong('no such host', /DATABASE_URL: the host nowhere\.invalid does not exist/, () => ({
    DATABASE_URL: 'postgres://somebody@nowhere.invalid/marquee',
    DATABASE_WAIT_SECONDS: '1',
  })),
  wrong('somebody listens and says nothing', /DATABASE_URL: no PostgreSQL answers at/, (premises) => ({
    DATABASE_URL: at(premises.silentPort),
    DATABASE_WAIT_SECONDS: '1',
  })),
  wrong('wrong password', /DATABASE_URL: .*rejects the password of locked/, ({ databaseUrl }) => ({
    DATABASE_URL: databaseUrl('marquee', 'locked:wrong'),
  })),
  wrong('no password', /DATABASE_URL: .*requires a password/, ({ databaseUrl }) => ({
    DATABASE_URL: databaseUrl('marquee', 'locked'),
  })),
  wrong('no such role', /DATABASE_URL: .*rejects the user stranger/, ({ databaseUrl }) => ({
    DATABASE_URL: databaseUrl('marquee', 'stranger'),
  })),
  wrong('no role', /DATABASE_URL: the URL has no user/, ({ databaseUrl }) => ({
    DATABASE_URL: databaseUrl('marquee').replace('postgres@', ''),
  })),
  wrong('no such database', /DATABASE_URL: .*has no database nothing/, ({ databaseUrl }) => ({
    DATABASE_URL: databaseUrl('nothing'),
  })),
  wrong('a role without rights', /DATABASE_URL: its role may not read the existing tables/, ({ databaseUrl }) => ({
    DATABASE_URL: databaseUrl('marquee', 'poor'),
  })),
  wrong('a role without rights to the jobs', /DATABASE_URL: permission denied for schema pgboss/, (premises) => ({
    DATABASE_URL: premises.databaseUrl('marquee', 'jobless'),
  })),
  wrong('a role that may have no connection', /DATABASE_URL: .*too many connections for role/, ({ databaseUrl }) => ({
    DATABASE_URL: databaseUrl('marquee', 'crowded'),
    DATABASE_WAIT_SECONDS: '1',
  })),
  wrong('TLS that the server does not speak', /DATABASE_URL: .*does not support SSL/, ({ databaseUrl }) => ({
    DATABASE_URL: `${databaseUrl('marquee')}?sslmode=verify-full`,
  })),
  wrong('migrations not run', /DATABASE_URL: the schema lacks \d+ migrations.*marquee migrate/, (premises) => ({
    DATABASE_URL: premises.databaseUrl('empty'),
  })),
  wrong(
    'more shared connections than there are',
    /DATABASE_PIPELINED_CONNECTIONS: must be below DATABASE_POOL/,
    () => ({
      DATABASE_POOL: '4',
      DATABASE_PIPELINED_CONNECTIONS: '4',
    }),
  ),
  wrong('a lag that no replica may have', /DATABASE_REPLICA_MAX_LAG: must be a whole number from 1 to 30/, () => ({
    DATABASE_REPLICA_MAX_LAG: '90s',
  })),
  wrong('a read replica of several hosts', /DATABASE_REPLICA_URLS: lists several hosts/, () => ({
    DATABASE_REPLICA_URLS: 'postgres://a,b/marquee',
  })),
  wrong('a read replica with other data', /DATABASE_REPLICA_URLS: .*has other data than that of/, (premises) => ({
    DATABASE_URL: premises.databaseUrl('marquee'),
    DATABASE_REPLICA_URLS: premises.databaseUrl('empty'),
  })),
  wrong('a wrong database of a read replica', /DATABASE_REPLICA_URLS: .*has no database nothing/, (premises) => ({
    DATABASE_URL: premises.databaseUrl('marquee'),
    DATABASE_REPLICA_URLS: premises.databaseUrl('nothing'),
  })),
  wrong('a patience without end', /DATABASE_WAIT_SECONDS: must be a whole number from 0 to 600/, () => ({
    DATABASE_WAIT_SECONDS: 'forever',
  })),
  wrong('files in a place that is a file', /^DATA_DIR: \S+ is not a directory/, ({ file }) => ({ DATA_DIR: file })),
  wrong(
    'files of its own',
    /^DATA_DIR: the other replicas use other files than those in \S+\. .*BLOB_STORE=s3/,
    (premises) => ({
      DATABASE_URL: premises.databaseUrl('shared'),
    }),
  ),
  embedded('DATA_DIR is a file', /^DATA_DIR: \S+ is not a directory/, ({ file }) => ({ DATA_DIR: file })),
  embedded('DATA_DIR below a file', /^DATA_DIR: \S+ is not a directory/, ({ file }) => ({ DATA_DIR: `${file}/data` })),
  embedded(
    'DATA_DIR that cannot be written',
    /^DATA_DIR: this user cannot write to/,
    ({ closed }) => ({ DATA_DIR: `${closed}/data` }),
    { asNobody: true },
  ),
  embedded('DATA_DIR on a full disk', /^DATA_DIR: the disk of \S+ is full/, ({ full }) => ({ DATA_DIR: full! }), {
    needs: 'full',
  }),
  embedded('DATA_DIR of a service that runs', /^The store in \S+ is in use by process \d+/, ({ running }) => ({
    DATA_DIR: running.dataDir,
  })),
  embedded('another MASTER_KEY than before', /^MASTER_KEY: .*sealed under key/, ({ used }) => ({
    DATA_DIR: used,
    MASTER_KEY: OTHER_KEY,
  })),
  embedded('a port that is taken', /^Port \d+ of 127\.0\.0\.1 is taken/, ({ running }) => ({
    PORT: `${running.port}`,
  })),
  embedded('a port that is none', /PORT: must be a whole number from 0 to 65535/, () => ({ PORT: 'http' })),
  embedded('an address of another machine', /^HOST: this machine has no address 192\.0\.2\.1/, () => ({
    HOST: '192.0.2.1',
  })),
  embedded('a host without an address', /^HOST: nowhere\.invalid has no address/, () => ({ HOST: 'nowhere.invalid' })),
  embedded('jobs for nobody', /ROLE: api requires DATABASE_URL/, () => ({ ROLE: 'api' })),
  {
    name: 'production without a key',
    says: /MASTER_KEY: is required in production mode/,
    environment: (premises) => without('MASTER_KEY', production(premises)),
  },
  wrong('the key of the example', /MASTER_KEY: consists of 32 equal bytes/, () => ({
    MASTER_KEY: Buffer.alloc(32).toString('base64'),
  })),
  wrong('a key that is too short', /MASTER_KEY: must be 32 bytes/, () => ({ MASTER_KEY: 'short' })),
  {
    name: 'a file of the key that is not there',
    says: /MASTER_KEY_FILE: names a file that cannot be read/,
    environment: (premises) => ({ ...without('MASTER_KEY', production(premises)), MASTER_KEY_FILE: '/nowhere/key' }),
  },
  wrong('plain http', /BASE_URL: must be https in production mode/, () => ({ BASE_URL: 'http://ads.example.com' })),
  wrong('one URL for both environments', /ADS_SANDBOX_BASE_URL: must differ from ADS_BASE_URL/, () => ({
    ADS_SANDBOX_BASE_URL: 'https://ads.example.com',
  })),
  wrong('a proxy without an address', /TRUST_PROXY: "balancer" is neither an IP address nor a network/, () => ({
    TRUST_PROXY: 'balancer',
  })),
  wrong('a Redis of another kind', /REDIS_URL: must be a URL that begins with redis:/, () => ({
    REDIS_URL: 'http://redis',
  })),
  wrong('a word that is none', /RATE_LIMITS: must be one of faithful, relaxed, off, not "none"/, () => ({
    RATE_LIMITS: 'none',
  })),
  wrong('a limit without its window', /RATE_LIMIT_WRITES: must have the form <requests>\/<seconds>/, () => ({
    RATE_LIMIT_WRITES: '450',
  })),
  wrong('a bucket without a name', /S3_BUCKET: is required with BLOB_STORE=s3/, () => ({
    BLOB_STORE: 's3',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'key',
  })),
  wrong('a program that is not there', /FFMPEG: names a program that does not exist/, () => ({
    FFMPEG: '/nowhere/ffmpeg',
  })),
  wrong('a demo in production', /DEMO: stores publicly known secrets/, () => ({ DEMO: 'true' })),
  wrong('spans to nowhere', /OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL/, () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
  })),
];
