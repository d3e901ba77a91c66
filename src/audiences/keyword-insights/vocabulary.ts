/** General topics that fill up related keywords if posts yield too few. The order must not change. */
export const VOCABULARY: readonly string[] = `
news|music|travel|food|sports|movies|fashion|#photography|weekend plans|health|fitness|technology|breakfast|gaming|books|
summer|#art|live music|friends|family|design|cooking|recipes|football|holiday|#inspiration|nature|shopping|dinner|coffee|
street food|business|startup|education|science|history|politics|economy|weather|winter|spring|autumn|#motivation|yoga|
running|cycling|hiking|garden|home decor|pets|dogs|cats|animals|climate|energy|city life|architecture|concert|festival|
theatre|museum|podcast|television|series|comedy|dance|#style|beauty|skincare|makeup|jewellery|shoes|vintage|craft|
wellbeing|mental health|sleep|nutrition|vegan|dessert|chocolate|tea|wine|beer|restaurant|lunch|bakery|basketball|tennis|
golf|swimming|skiing|surfing|camping|beach|mountains|road trip|airline|hotel|trains|cars|electric cars|motorcycle|software|
hardware|smartphone|artificial intelligence|data|security|design thinking|marketing|advertising|careers|remote work|
leadership|finance|investing|savings|real estate|parenting|children|school|university|language|writing|poetry|painting|
illustration|film|#community|volunteering|charity|sustainability|innovation|research|space|mathematics|medicine|
`
  .replaceAll('\n', '')
  .split('|')
  .filter((term) => term !== '');
