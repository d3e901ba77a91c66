import { readConfig } from './config.js';
import { edits } from './edit-distance.js';
import { type Environment, EnvironmentReader } from './environment.js';

/** Beginnings of settings that are rare elsewhere. */
const PREFIXES = /^(ADS|AUDIENCE|BLOB|DATABASE|MAX|RATE_LIMITS?|REDIS|S3|WEBHOOK)_/;
/** Of Kubernetes and Docker, for services with such names. */
const OF_SERVICE = /_(SERVICE_(HOST|PORT\w*)|PORT(_\d+_(TCP|UDP)\w*)?)$/;
/** Common variables with a name like a setting. */
const OTHERS = new Set(['HOME', 'HOSTNAME', 'NAME', 'NODE', 'POST']);
/** Of the command line: the client's credentials. */
const OF_CLIENTS = /^MARQUEE_/;

/** A sentence for each variable that is none of the service but looks like one. */
export function unknownSettings(env: Environment = process.env): string[] {
  const known = [...settingNames()];
  const isKnown = (name: string) => known.includes(name.replace(/_FILE$/, '')) || known.includes(name);
  return Object.keys(env)
    .filter((name) => env[name] && !isKnown(name) && !OTHERS.has(name) && !OF_SERVICE.test(name))
    .flatMap((name) => {
      const meant = meantBy(name, known);
      if (meant !== undefined) return [`${name} is not a setting of Marquee. Did you mean ${meant}?`];
      return PREFIXES.test(name) ? [`${name} is not a setting of Marquee and has no effect.`] : [];
    });
}

/** The setting with this name but for a typing error, case, separators or the name of the product. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  const written = plain(name.replace(OF_CLIENTS, ''));
  if (OF_CLIENTS.test(name)) return known.find((each) => plain(each) === written);
  const tolerated = Math.min(3, Math.max(1, Math.floor(written.length / 4)));
  const distances = known.map((each) => edits(written, plain(each)));
  const min = Math.min(...distances);
  return min <= tolerated ? known[distances.indexOf(min)] : undefined;
}

const plain = (name: string) => name.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** The names of all settings. */
function settingNames(): ReadonlySet<string> {
  const read = new EnvironmentReader({ BLOB_STORE: 's3' });
  try {
    readConfig(read.env, read);
  } catch {
    // the names were read, though those of S3 have no values
  }
  return read.names;
}
