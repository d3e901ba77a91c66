import type { Row } from '../../../src/common/db/query/rows.js';
import type { Media } from '../../../src/creatives/entities/media.entity.js';
import { presentFinished } from '../../../src/creatives/media-upload/media-upload.presenter.js';

const about = { id: '7', category: 'POST_VIDEO', mediaType: 'VIDEO', contentType: 'video/mp4', size: 9 };
const video = { ...about, expiresAt: null } as Row<Media>;

describe('the progress of an upload', () => {
  it.each([
    ['ARRIVING', { state: 'pending', check_after_secs: 1, progress_percent: 0 }],
    ['PENDING', { state: 'pending', check_after_secs: 1, progress_percent: 0 }],
    ['IN_PROGRESS', { state: 'in_progress', check_after_secs: 1, progress_percent: 50 }],
    ['SUCCEEDED', { state: 'succeeded', progress_percent: 100 }],
    ['FAILED', { state: 'failed', progress_percent: 100, error: { code: 1, name: 'InvalidMedia', message: 'No' } }],
  ] as const)('is told by its state: %s', (state, expected) => {
    const failure = state === 'FAILED' ? 'No' : null;
    expect(presentFinished({ ...video, state, failure }, new Date(0)).processing_info).toEqual(expected);
  });
});
