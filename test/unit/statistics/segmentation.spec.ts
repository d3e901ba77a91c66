import type { MetricGroup, StatisticsEntity } from '../../../src/statistics/account-statistics/metrics.js';
import {
  segmentationOf,
  segmentationProblems,
  type AskedSegmentation,
} from '../../../src/statistics/account-statistics/segmentation.rules.js';

const US = '96683cc9126741d1';

describe('what can be divided', () => {
  const problems = (asked: Partial<AskedSegmentation>) =>
    segmentationProblems({ entity: 'LINE_ITEM', metric_groups: ['ENGAGEMENT'], ...asked }).map(
      ({ code, detail: { parameter, value } }) => [code, parameter, value],
    );

  it.each<[Partial<AskedSegmentation>, unknown[]]>([
    [{}, []],
    [{ segmentation_type: 'AGE', country: 'x', platform: 'x' }, []],
    [{ segmentation_type: 'METROS' }, [['MISSING_PARAMETER', 'country', undefined]]],
    [{ segmentation_type: 'METROS', country: 'US' }, [['INVALID_PARAMETER', 'country', 'US']]],
    // a metro
    [{ segmentation_type: 'CITIES', country: '5122804691e5fecc' }, [['INVALID_PARAMETER', 'country', '5122804691e5fecc']]], // prettier-ignore
    [{ segmentation_type: 'REGIONS', country: US.toUpperCase() }, []],
    [{ segmentation_type: 'DEVICES' }, [['MISSING_PARAMETER', 'platform', undefined]]],
    [{ segmentation_type: 'PLATFORM_VERSIONS', platform: 'iOS' }, [['INVALID_PARAMETER', 'platform', 'iOS']]],
    [{ segmentation_type: 'PLATFORM_VERSIONS', platform: '0' }, []],
    [{ segmentation_type: 'CONVERSION_TAGS' }, [['INVALID_PARAMETER', 'metric_groups', 'ENGAGEMENT']]],
    [{ segmentation_type: 'CONVERSION_TAGS', metric_groups: ['WEB_CONVERSION'] }, []],
    [{ segmentation_type: 'PLATFORMS', metric_groups: ['WEB_CONVERSION', 'BILLING'] }, []],
    [{ segmentation_type: 'AGE', metric_groups: ['WEB_CONVERSION', 'BILLING'] }, []],
    [{ segmentation_type: 'GENDER', metric_groups: ['MOBILE_CONVERSION', 'VIDEO', 'MEDIA'] }, []],
    [{ segmentation_type: 'GENDER', metric_groups: ['LIFE_TIME_VALUE_MOBILE_CONVERSION'] }, []],
    // another rule refuses groups that an entity lacks
    [{ segmentation_type: 'GENDER', entity: 'ACCOUNT', metric_groups: ['WEB_CONVERSION'] }, []],
  ])('%j: %j', (asked, expected) => expect(problems(asked)).toEqual(expected));

  it.each<StatisticsEntity>(['MEDIA_CREATIVE', 'ORGANIC_POST'])('%s is not divided', (entity) =>
    expect(problems({ entity, segmentation_type: 'AGE' })).toEqual([['INVALID_PARAMETER', 'segmentation_type', 'AGE']]),
  );

  it('a refused group names those that the type divides', () => {
    const of = (entity: StatisticsEntity, ...metric_groups: MetricGroup[]) =>
      segmentationProblems({ entity, metric_groups, segmentation_type: 'CONVERSION_TAGS' })[0].message;
    expect(of('CAMPAIGN', 'BILLING')).toBe('Expected a value in WEB_CONVERSION, got "BILLING" for metric_groups');
    expect(of('ACCOUNT', 'ENGAGEMENT')).toBe('The entity ACCOUNT has no segments of CONVERSION_TAGS');
  });

  it('the reader gets only the values that the type needs', () => {
    const asked = { entity: 'CAMPAIGN', metric_groups: [], country: US.toUpperCase(), platform: '0' } as const;
    expect(segmentationOf(asked)).toBeUndefined();
    expect(segmentationOf({ ...asked, segmentation_type: 'AGE' })).toEqual({ type: 'AGE' });
    expect(segmentationOf({ ...asked, segmentation_type: 'METROS' })).toEqual({ type: 'METROS', country: US });
    expect(segmentationOf({ ...asked, segmentation_type: 'DEVICES' })).toEqual({ type: 'DEVICES', platform: '0' });
  });
});
