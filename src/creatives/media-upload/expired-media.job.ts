import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BlobStore } from '../../common/blobs/blob-store.js';
import { Clock } from '../../common/time/clock.js';
import { DAY_MS } from '../../common/time/days.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { defineJob } from '../../common/jobs/job.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { Failures } from '../../common/jobs/failures.js';
import { deleteFiles } from '../media-files/media-key.js';
import { Media, MediaPart, MediaSubtitles } from '../entities/media.entity.js';
import { markExpired, releaseSubtitles } from './media.statements.js';

const BATCH = 100;
const MAX_BATCHES = 20;

/** No retries: the next run starts in a minute. */
const EXPIRED_MEDIA = defineJob('expired-media', { timeoutSeconds: 120, retries: 0 });
const BLOB_LEFTOVERS = defineJob('blob-leftovers', { timeoutSeconds: 600, retries: 0 });

/** Removes uploads that stay unused for a day, finished or not, and leftovers of blob writers. */
@Injectable()
export class ExpiredMediaJob implements OnModuleInit {
  private readonly logger = new Logger('Media');

  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.work(EXPIRED_MEDIA, async (_, { signal }) => void (await this.removeExpired(signal)));
    this.jobs.schedule(EXPIRED_MEDIA, { everySeconds: 60 });
    this.jobs.work(BLOB_LEFTOVERS, async () => {
      await this.store.removeLeftovers(new Date(Clock.machineMs() - DAY_MS));
    });
    this.jobs.schedule(BLOB_LEFTOVERS, { everySeconds: 3_600 });
  }

  /**
   * Marks expired uploads so that nobody can use them, then removes their files, and finally their rows. After a crash
   * in between, the next run finds the mark. Returns the number of rows removed.
   */
  async removeExpired(signal?: AbortSignal): Promise<number> {
    const failures = new Failures(this.logger);
    let removed = 0;
    for (let batch = 0; batch < MAX_BATCHES && !signal?.aborted; batch++) {
      const marked = await markExpired(this.db.manager, this.clock.now().toISOString(), BATCH);
      const gone = await rows(this.db.manager, Media)
        .withDeleted()
        .whereDistinctFrom('deletedAt', null)
        .limit(BATCH)
        .getMany();
      for (const media of gone) {
        if (signal?.aborted) return removed;
        try {
          await this.remove(media);
          removed++;
        } catch (error) {
          failures.tolerate(`The upload ${media.id} could not be removed`, error);
        }
      }
      if (marked < BATCH && gone.length < BATCH) break;
    }
    return removed;
  }

  private async remove(media: Row<Media>): Promise<void> {
    const { id, mediaType } = media;
    await deleteFiles(this.store, media);
    await this.store.abort(id);
    if (mediaType === 'VIDEO') await this.releaseSubtitlesOf(id);
    await rows(this.db.manager, MediaPart).where('mediaId', id).delete();
    await rows(this.db.manager, Media).withDeleted().where('id', id).delete();
  }

  /** The subtitles of a video expire with it, unless another video has them, too. */
  private async releaseSubtitlesOf(mediaId: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const subtitles = await rows(tx, MediaSubtitles).where('mediaId', mediaId).getMany();
      if (subtitles.length === 0) return;
      await rows(tx, MediaSubtitles).where('mediaId', mediaId).delete();
      const files = subtitles.map(({ fileId }) => fileId);
      await releaseSubtitles(tx, files, this.clock.now().toISOString());
    });
  }
}
