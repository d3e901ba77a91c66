import type { Row } from '../../common/db/query/rows.js';
import type { StatisticsJob } from './statistics-job.entity.js';

/** Exactly this type makes SDKs unpack the file. */
export const RESULT_TYPE = 'application/gzip';

/** The key below which the files of a job are, one for each worker. */
export const resultFolder = (folder: string): string => `statistics/${folder}`;

/** The key of the file that the last worker of a job writes. */
export const resultKey = ({ folder, attempt }: Pick<Row<StatisticsJob>, 'folder' | 'attempt'>): string =>
  `${resultFolder(folder!)}/${attempt}.json.gz`;
