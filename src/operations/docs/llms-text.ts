import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package root is three levels up from src, four from dist. */
const file = ['../../../llms.txt', '../../../../llms.txt']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

/** The URL of the service in the file. */
const URL_IN_FILE = 'http://localhost:3000';

let text: string | undefined;

/** What an assistant reads first (llmstxt.org), with the URL of this service. */
export function readLlmsText(baseUrl: string): string {
  text ??= readFileSync(file!, 'utf8');
  return text.replaceAll(URL_IN_FILE, baseUrl);
}
