import { wordsIn } from '../../common/text/words.js';

/** Frequent words in the main languages of posts. They say nothing about the topic of a text. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  wordsIn(
    `a about after again all also always am an and another any anyone anything are aren't around as at away back be because
    been before being best better between both but by came can can't cannot come could couldn't day days did didn't do does
    doesn't doing don't done down each else even ever every everyone everything few first for from get gets getting give go
    goes going gone good got had has hasn't have haven't having he he's her here here's hers him his how how's i i'd i'll i'm
    i've if in into is isn't it it'd it'll it's its itself just know last least less let let's like little look lot made make
    makes making many may maybe me might mine more most much must my myself need never new next no nobody none nor not nothing
    now of off oh ok okay old on once one only or other others our ours out over own people per please put quite rather really
    right said same say says see seen shall she she's should shouldn't since so some someone something soon still such take
    than thank thanks that that's the their theirs them then there there's these they they'd they'll they're they've thing
    things think this those though through time to today together tomorrow tonight too two under until up upon us use used
    using very via want was wasn't way we we'd we'll we're we've well went were weren't what what's when where which while who
    who's whom why will with within without won't would wouldn't yeah yes yesterday yet you you'd you'll you're you've your
    yours rt amp
    aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein dem den der des die dir doch dort du
    durch ein eine einem einen einer eines er es euch für haben hat hatte hier ich ihm ihn ihr im immer ist ja jetzt kann kein
    keine können mal man mehr mein mich mir mit muss nach nicht nichts noch nur ob oder ohne schon sehr sein sich sie sind so
    über um und uns unser vom von vor wann war was weil wenn wer wie wieder wir wird wo zu zum zur
    à au aux avec bien c'est ce ces cette comme dans de des du elle elles en encore est et être il ils j'ai je la le les leur
    lui mais me même mes moi mon ne nous on ou où par pas plus pour qu'il que qui sa sans se ses son sont sur ta te tes toi ton
    tout tous très tu un une vos votre vous y
    al algo como con cual cuando de del desde donde dos el ella ellos en era eres es esa ese eso esta está estar este esto fue
    ha hasta hay la las le les lo los más me mi mis muy no nos o para pero por porque qué que quien se ser si sí sin sobre son
    soy su sus también te tiene todo todos tu tus un una uno ya yo
    ao aos até com da das do dos ela ele eles em essa esse esta este eu foi já mais mas meu minha muito na nas não nem nos num
    numa o os ou pela pelo por qual quando quem são se sem ser seu seus só sua suas também tem tudo um uma você vocês
    allo ai alla anche che chi ci come con cosa da dal dei del della delle di e è gli ha ho i il in io la le lo loro ma mi ne
    nel nella noi non o per però più quando quello questa questo se sei si sono su sul te ti tra tutto un una uno voi
    aan als bij dan dat de den der deze die dit door een en er het hij hoe hun ik in is je kan maar me meer met mij mijn naar
    niet nog nu of om ons ook op over te toch tot uit van veel voor waar was wat we wel werd wie worden zal ze zich zijn zo
    att av det en ett för har i inte jag kan med men och om på som till var vi är
    a i je jest na nie się to w z że
    и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из
    ему когда даже ну ли если уже или ни быть был него до вас они тут где есть это мы
    bir bu da de için ile ne ve çok
    yang dan di ini itu dengan untuk dari tidak ada akan pada ke
    في من على ما لا أن إلى هذا مع عن هو كل و يا
    は が の を に で と も へ や か な だ です ます た て し い れ る さ ね よ から まで こと これ それ する した ある いる
    的 了 是 在 我 你 他 她 们 这 那 有 和 就 都 不 也 很 吗 吧 啊 一个 没有 我们
    그 이 저 것 수 좀 잘 더 및`,
  ).map(({ key }) => key),
);

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
