"""More plots."""

STORM = [
    [
        "one day, dark clouds came up. \"a storm is coming!\" <cried> {F}.",
        "in the night, a great storm began. the wind [howled|shook the trees], and the rain [fell like a river|would not stop].",
        "it rained for [three|seven|ten] days, and the river rose higher and higher.",
    ],
    [
        "everyone ran home. but {T} had no [home|roof].", "\"quick, come inside!\" said {H}. soon {his} little home was full.",
        "then there was a knock at the door. outside stood {aT}, wet and cold.",
    ],
    [
        "\"may i come in?\" asked {T}. \"of course,\" said {H}. \"there is [enough|always] room for one more.\"",
        "then {aF} came, and then a <smallanimal>, and then another. it was very full.",
        "the wind [broke a window|took the roof away|blew out the lamp]. it was dark and cold.",
    ],
    [
        "\"we must work together,\" said {H}. [one held the door, one brought wood, and one made soup|everyone helped].",
        "they sat close together to keep warm, and {H} told a story.",
        "\"i am afraid,\" said a small voice. \"then let us sing,\" said {H}, and they sang louder than the wind.",
    ],
    [
        "all night long, the storm went on.", "thunder rolled and lightning flashed, but inside it was warm.",
        "they shared [the last bread|a pot of soup|a blanket]. there was not much, but it was enough.",
    ],
    [
        "in the morning, the storm was over. <sky>.", "then it was quiet. the sun came out, and there was a [rainbow|great rainbow] over {P1}.",
        "at last, the wind grew tired and went away.",
    ],
    [
        "they went outside. {P1} was [full of branches|under water|white with snow]. \"let us clean up,\" said {H}.",
        "everyone helped to [mend the roof|clear the path|build everything up again].", "together they built a new home for {T}.",
    ],
    [
        "\"it was a terrible storm,\" said {F}, ~\"but it was also [a lovely night|the best night of my life].\"",
        "since then, {T} [has stayed with them|is part of the family].", "\"next time, come to us first,\" they all said.",
    ],
]

LEARN = [
    [
        "{H} wanted to learn how to {=skill}.", "all the others could {=skill}, but {H} could not.",
        "\"i want to {=skill},\" said {H} one <tod>, ~\"just like {F}.\"",
    ],
    [
        "{He_} tried it once, and {he} tried it twice, but it did not work.",
        "the first time, {he} [fell on {his} nose|made everyone laugh|only made a funny noise].",
        "{He_} asked {F}, \"can you show me how to {=skill}?\" \"watch me,\" said {F}.",
    ],
    [
        "\"i will never learn it,\" {he} said, and {he} was <badfeel>.", "the others laughed. {H} ran away and hid near {P1}.",
        "\"it is too hard for me,\" sighed {H}.",
    ],
    [
        "{E} said, \"i also needed a long time to learn it.\"", "\"do you know how many times i fell?\" asked {F}. \"a hundred times!\"",
        "{aT} saw {him} and said, \"you only forgot one little word: yet. you cannot do it yet.\"",
    ],
    [
        "so {H} practised every day, in the morning and in the evening.", "every <tod>, {he} went to {P1} and tried again.",
        "{H} tried and tried, in the sun and in the rain.",
    ],
    ["each day, it went a little better.", "some days were good, and some days were bad.", "on the [third|fifth|seventh] day, {he} almost did it."],
    [
        "and then, one <weather> <tod>, it worked! {H} could {=skill}!", "suddenly, {he} could do it. \"look!\" {he} <cried>. \"i can {=skill}!\"",
        "and one day, without thinking about it, {H} just did it.",
    ],
    [
        "everyone came to see it, and {F} <cried>, \"well done!\"", "\"i knew it,\" said {F}.",
        "{H} was so <goodfeel> that {he} did it again and again.",
    ],
    [
        "the next day, a little <smallanimal> asked, \"can you show me how to {=skill}?\" \"yes,\" said {H}. \"first you must [fall a few times|be patient].\"",
        "since then, {H} has helped others who want to learn something.", "",
    ],
]

JOURNEY = [
    [
        "one <tod>, {H} [set out|left home] to visit {his} grandmother, who lived behind {P3}.",
        "{H} wanted to see the sea, so {he} packed <food> and a <toy> and [set out|left].",
        "{E} said, \"please bring this basket to {T}.\" so {H} put on {his} hat and set out.",
        "a letter came. \"please come,\" it said. so {H} packed {his} bag.",
    ],
    [
        "first {he} came to a [deep|wide|fast] river. there was no bridge.", "first {he} came to a high wall.",
        "soon {he} came to {P2}, where the path was [covered with thorns|blocked by a fallen tree|very steep].",
    ],
    [
        "\"how will i get across?\" {he} wondered. {aF} said, \"[sit on my back|i will help you|there is a boat].\"",
        "{aF} was sitting there. \"i will show you a way,\" said {F}, ~\"if you give me some <food>.\" and so they did.",
        "{H} thought for a while. then {he} found a [long branch|strong rope] and climbed over.",
    ],
    [
        "then {he} came to a crossroads. left or right? {He_} [followed the sun|asked a crow|threw a stone].",
        "next {he} met a hungry <smallanimal>. {H} gave it half of {his} <food>.", "after a while, {he} was tired and rested under a <tree>.",
    ],
    [
        "suddenly, a big [dog|wolf|bear|goose] stood in the way. \"where are you going?\" it growled.",
        "then it began to [rain|snow], and the path was hard to see.", "night came, and {H} slept under the stars.",
    ],
    [
        "\"please let me pass,\" said {H} politely. the big animal was surprised. \"nobody ever said please to me,\" it said, and stepped aside.",
        "but {H} did not turn back. {He_} sang a song and went on.", "the little <smallanimal> came back and showed {him} the way.",
    ],
    [
        "at last, {he} was there. how [beautiful|wonderful] it was!",
        "on the [second|third] day, {H} saw smoke above a little roof. \"i made it!\" {he} <cried>.",
        "when the sun came up, {H} stood at the [door|end of the road].",
    ],
    [
        "\"you came all this way alone?\" {he} heard. \"not alone,\" said {H}. \"i met many friends.\"",
        "there were <treat>s and warm tea, and {H} told about everything that {he} had seen.", "and on the way back, the road seemed much shorter.",
    ],
]

SOUP = [
    [
        "it was winter, and there was little to eat. {H} had only [one carrot|one potato|an onion].",
        "{H} was hungry, but there was only [an old turnip|one carrot|a bit of salt] left.",
        "one <tod>, {H} wanted to cook a soup, but {he} had only water and a [stone|carrot].",
    ],
    [
        "{He_} put it into a big pot of water and made a fire.", "\"better than nothing,\" {he} said, and {he} put the pot on the fire.",
        "\"that will be a thin soup,\" {he} sighed.",
    ],
    [
        "{aF} came by. \"what are you cooking?\" \"soup,\" said {H}. \"i have [two potatoes|some salt|a leek],\" said {F}. \"may i join?\"",
        "{F} smelled it and came nearer. \"i could bring some beans,\" {fhe} said.",
    ],
    [
        "then {aT} came. \"i have an onion,\" {the} said.", "then {T} came along with [a piece of cheese|some mushrooms|a handful of herbs].",
        "soon {T} knocked at the door. \"i have only this cabbage,\" {the} said. \"put it in!\" said {H}.",
    ],
    [
        "a <smallanimal> brought [herbs|a nut|an egg], and another brought [peas|bread].", "everyone put something into the pot.",
        "the pot became fuller and fuller.",
    ],
    [
        "they stirred and stirred, and soon the soup smelled [wonderful|better and better].",
        "\"is it ready?\" they asked every minute. \"not yet,\" said {H}.", "it bubbled and steamed.",
    ],
    ["at last, it was ready, and everyone sat down to eat.", "\"now!\" said {H}, and everyone held out a bowl.", "they ate until the pot was empty."],
    [
        "\"this is the best soup in the world,\" said {F}. \"who made it?\" \"we all did,\" said {H}.",
        "\"alone i had [almost nothing|only a carrot],\" said {H}. \"together we have a feast.\"", "nobody was hungry that night.",
    ],
    ["and every winter since then, they have cooked a soup together.", ""],
]

QUARREL = [
    [
        "{H} and {F} were best friends, but one <tod> they had a quarrel.", "one day, {H} and {F} both wanted the same {=toy}.",
        "\"it is my {=toy}!\" <cried> {H}. \"no, it is mine!\" <cried> {F}.",
    ],
    [
        "\"you always want to be first,\" said {F}. \"and you never listen,\" said {H}.",
        "\"i saw it first,\" said one. \"but i picked it up,\" said the other.", "they pulled and pulled, until the {=toy} broke.",
    ],
    [
        "{F} went home and shut the door. {H} went home and shut the door, too.",
        "\"i will never play with you again,\" said {H}, and {he} walked away.", "they turned their backs to each other and said nothing.",
    ],
    [
        "the next day, {H} played alone. it was [boring|no fun].", "{H} sat near {P1}. <game> is hard to play alone.",
        "{He_} saw a funny cloud and wanted to tell {F}. but {F} was not there.",
    ],
    [
        "\"maybe i was wrong,\" {he} thought.",
        "\"why are you so quiet?\" asked {E}. {H} told {ehim} everything. \"and who will say sorry first?\" asked {E}.",
        "{H} missed {his} friend. what was a {=toy} without {F}?",
    ],
    [
        "{He_} got up and went to {F}. at the same time, {F} was on the way to {H}. they met at {P2}.",
        "so {he} [picked a <flower>|took {his} last <treat>] and went to {F}'s door.",
    ],
    [
        "\"i am sorry,\" they both said at the same time.", "\"i was wrong,\" said {H}. \"so was i,\" said {F}.",
        "\"will you be my friend again?\" asked {H}. \"i never stopped,\" said {F}.",
    ],
    ["they mended the {=toy} and played together.", "since then, they take turns: one day {H}, the next day {F}.", "they laughed and ran to {P3}."],
]

MAP = [
    [
        "one <weather> <tod>, {H} found an old map in {P1}. there was a red cross on it.",
        "in an old book, {H} found a map. \"a treasure!\" {he} <cried>.", "a bottle lay near {P1}. inside was a map with a big X.",
    ],
    [
        "{He_} ran to {F}. \"look at this!\" {he} said. \"let us find the treasure!\"",
        "\"do you want to come with me?\" {he} asked {F}. \"yes!\" said {F}, and they took [a spade|a lamp|a rope] and <food>.",
    ],
    [
        "the map said: go to {P2} and walk ten steps to the [left|right|north].",
        "\"first we must go to {P2},\" said {H} and held the map [upside down|up to the light].",
        "they followed the line on the map, past {P2} and over a little hill.",
    ],
    [
        "it was a long way, and {F} [grew tired|wanted to turn back].",
        "there they met {aT}. \"what are you looking for?\" \"a treasure,\" they whispered. \"then take the path behind {P3},\" said {T}.",
        "they crossed a stream and crept through a dark [hole|tunnel].",
    ],
    ["at last, they came to {P3}. \"here it must be,\" said {H}.", "\"one, two, three,\" counted {H}, until they stood at {P3}."],
    [
        "they dug and dug. clonk! there was something hard.", "they dug a deep hole. then {F} <cried>, \"i found something!\"",
        "under a big stone, there was a box.",
    ],
    [
        "it was an old box. slowly, {H} opened it. inside was [a letter|an old <treasure>|a picture|a shiny <treasure>].",
        "they opened it with a creak. there was no gold. there was [only a mirror|a book of stories|a letter].",
    ],
    [
        "\"whoever finds this,\" it said, ~\"already has a treasure: a friend to look for it with.\"",
        "{H} looked at {F} and laughed. \"the way was the best part,\" {he} said.", "\"it is not gold,\" said {F}. \"it is better.\"",
    ],
    [
        "they put something of their own into the box and buried it again, for the next one to find.",
        "they took it home and put it [on a shelf|on the wall].", "",
    ],
]

GREED = [
    [
        "{H} loved to eat. {He_} ate <food> for breakfast, <food> for lunch, and <food> for supper.",
        "one <tod>, {H} saw a table full of cakes at {P1}.", "near {P1}, {H} found a bush full of sweet berries.",
    ],
    [
        "\"do not eat too much,\" said {F}. but {H} did not listen.", "\"only one,\" said {E}. but one was not enough for {H}.",
        "\"just one more,\" {he} said, again and again.",
    ],
    [
        "{He_} ate one, and two, and three, and four.", "{He_} ate until there was nothing left, not even a crumb.",
        "{He_} filled {his} cheeks and {his} pockets.",
    ],
    [
        "then {he} wanted to go home through [a hole in the fence|the little door|the narrow gate], but {he} was stuck!",
        "then {his} stomach began to hurt. \"ow, ow, ow!\" {he} <cried>.", "{H} could not [move|walk|stand up] any more.",
    ],
    [
        "\"help!\" called {H}. {F} pulled and pulled, but nothing moved.", "\"oh, oh,\" said {F}. \"that looks bad.\"",
        "{T} came and laughed a little. \"somebody has been greedy,\" {the} said.",
    ],
    [
        "everyone came to help. they pulled all together: one, two, three! plop!",
        "\"now you must lie still and drink tea,\" said {E}. it was bitter tea.",
        "{H} had to wait until evening, and all the time {he} smelled the supper that {he} could not eat.",
    ],
    [
        "\"never again,\" said {H}, and {his} stomach rumbled.", "\"next time i will listen,\" {he} promised.",
        "\"i will share next time,\" said {H} in a small voice.",
    ],
    [
        "and {he} kept {his} word, until the next <treat>.", "the next day, {he} brought a basket of <food> to everyone who had helped.",
        "since then, {H} has counted: one for me, one for you.",
    ],
]

BORED = [
    [
        "{H} was bored. it was raining, and there was nothing to do.", "\"what should i do?\" asked {H}. \"i am so bored!\"",
        "it was too wet to go out. {H} looked out of the window and sighed.",
    ],
    [
        "{E} gave {him} an empty box. \"what is this?\" asked {H}. \"only a box?\"", "{F} came by with a big box. \"this is a ship,\" said {F}.",
        "{H} found an old [blanket|box|umbrella] in {P1}.",
    ],
    [
        "\"it can be anything,\" said {E}.", "\"a ship?\" said {H}. \"it looks like a box to me.\" \"look again,\" said {F}.",
        "{H} sat down in it and closed {his} eyes.",
    ],
    [
        "and suddenly it was a ship on a wild sea. the waves were high!", "the floor became the sea, and the chairs became islands.",
        "then it was a rocket. three, two, one, up they went, past the moon.",
    ],
    [
        "\"pirates!\" <cried> {F}. they fought bravely and won a chest of gold buttons.",
        "they met a whale who [told jokes|was looking for its glasses], and a [king|fish] who could not swim.",
        "on the moon, they ate cheese and jumped as high as houses.",
    ],
    [
        "then it was a castle, and {H} was the king of everything.", "after that, they were in the jungle, and a lion asked for directions.",
        "a dragon came, but it only wanted some tea.",
    ],
    [
        "\"supper!\" called {E}. the sea was a floor again.", "when they looked out of the window, the rain had stopped long ago.",
        "in the evening, {E} asked, \"were you bored?\" \"no,\" said {H}. \"we had no time for that.\"",
    ],
    ["\"tomorrow we will sail again,\" said {H}.", "{H} put the box beside {his} bed. who knows where it will go tomorrow?"],
]

NEWCOMER = [
    [
        "one day, {aF} moved into the [empty|little] house next to {P1}.", "a newcomer came to live near {P1}. it was {aF}.",
        "\"have you seen our new neighbour?\" everyone asked. it was {aF}.",
    ],
    [
        "nobody had ever seen {a_fkind} there before. \"{fhe} looks strange,\" the others whispered.",
        "{F} spoke in a strange way and ate strange things.", "the others did not want to play with {fhim}. \"{fhe} is not like us,\" they said.",
    ],
    ["{H} watched {F} sit alone near {P2}.", "{H} also did not know what to think.", "\"maybe {fhe} is dangerous,\" said {T}. {H} was not sure."],
    [
        "then {H}'s <toy> [fell into the water|rolled down the hill|got stuck in a tree], and {F} brought it back without a word.",
        "one <tod>, {H} took all {his} courage and knocked at the door. \"<hello>,\" {he} said.",
        "one day, {H} got stuck in the mud, and who came to help? it was {F}.",
    ],
    [
        "\"thank you,\" said {H}. \"would you like some <food>?\"",
        "\"come in,\" said {F}, and {fhe} smiled. there were [books up to the roof|a hundred small lamps|maps on every wall].",
        "\"are you not afraid of me?\" asked {F}. \"a little,\" said {H}. \"and you?\" \"a little,\" said {F}. they both laughed.",
    ],
    [
        "{F} told of faraway lands, of deserts and cities and snow as high as houses.", "{F} knew songs that nobody had ever heard.",
        "{F} could [juggle|bake wonderful <treat>s|whistle like a bird|tell the best stories].",
    ],
    [
        "{H} told the others. one by one, they came to listen.", "the next day, {H} brought {F} along. \"this is my friend,\" {he} said loudly.",
        "soon everyone sat at {F}'s table.",
    ],
    [
        "\"{fhe} is different,\" said {T}, ~\"and that is good.\"", "\"i am sorry that we were so unkind,\" said {T}.",
        "now nobody could imagine {P1} without {F}.",
    ],
]

HELPFUL = [
    [
        "one <tod>, {H} wanted to do something good.", "\"today i will help everyone i meet,\" said {H}.",
        "{H} was small, and everyone said, \"you are too small to help.\"",
    ],
    [
        "first {he} met {aF}, whose [wagon was stuck|basket was too heavy|hat was up in a tree].",
        "at {P1}, {F} was carrying a heavy [sack|bucket|basket].",
    ],
    [
        "\"can i help you?\" asked {H}. \"you?\" said {F}. \"well, you can try.\" and together it was easy.",
        "{H} pushed and pulled, and soon it was done. \"thank you!\" said {F}.",
    ],
    [
        "then {he} came to {P2}. {T} was looking for {this} glasses. they were on {this} nose!",
        "at {P2}, a <smallanimal> could not find its way. {H} took it by the hand.",
        "next {he} met a <helper> who was [sweeping the path|mending a net|picking <food>]. {H} helped until it was done.",
    ],
    [
        "in the evening, {H} was so tired that {he} could not [walk|lift a foot].", "on the way home, {H} fell into a hole. \"help!\" {he} called.",
        "but when {he} came home, {his} own work was not done.",
    ],
    [
        "then there was a knock. outside stood everyone whom {he} had helped.", "who came running? all those whom {H} had helped.",
        "\"now it is our turn,\" they said.",
    ],
    ["they [cooked supper|carried {him} home|did all the work], and it took no time at all.", "\"you helped us,\" said {F}, ~\"so we help you.\""],
    ["{H} [did not know what to say|smiled from ear to ear|was <goodfeel>].", "\"nobody is too small to help,\" said {T}."],
]

BEDTIME = [
    [
        "it was late, but {H} [was not tired|did not want to sleep|could not fall asleep].",
        "\"time for bed,\" said {E}. \"but i am not tired,\" said {H}.",
    ],
    [
        "first {he} wanted a glass of water. then {he} wanted a story. then {he} wanted to know why the sky was dark.",
        "{He_} counted sheep, but the sheep [would not stand still|began to dance].", "{He_} turned to the left, and {he} turned to the right.",
    ],
    [
        "{E} told {him} about {aF} who lived on the moon.",
        "{E} sat down on the bed. \"i will tell you how i could not sleep when i was little,\" {ehe} said.",
        "{He_} looked out of the window. {aF} was awake, too.",
    ],
    [
        "\"can you not sleep either?\" asked {F}. \"no,\" said {H}. \"let us listen to the night.\"",
        "\"what do the others do when they cannot sleep?\" asked {H}. \"the <helper> listens to the wind, and the <helper> thinks of something nice.\"",
    ],
    [
        "they heard the wind in the trees, and the water, and a far bell.", "outside, <sky>. everything was still.",
        "{H} thought of {P1}, and of <food>, and of <game>.",
    ],
    ["{His_} eyes became heavy.", "{He_} yawned once, and {he} yawned twice.", "\"i am still not tired,\" said {H}, and then {he} was asleep."],
    [
        "{E} turned out the light. \"good night, {call}.\"", "the moon shone through the window, and all was quiet.",
        "\"sweet dreams,\" {he} heard, from very far away.",
    ],
]

WORK = [
    [
        "{H} had to [clean {P1}|collect wood for the winter|pick apples|paint the fence], but {he} did not feel like it.",
        "{E} said, \"please [pick the apples|clean {P1}|bring in the wood] before evening.\"",
        "winter was coming, and there was a lot of work to do.",
    ],
    [
        "\"later,\" said {H}, and {he} lay down in the sun.", "\"tomorrow,\" said {H}. and the next day {he} said, \"tomorrow\" again.",
        "{H} played <game> and forgot about it.",
    ],
    [
        "{F} worked all day long. \"come and help me,\" {fhe} said. \"i am too tired,\" said {H}.",
        "{F} shook {fhis} head. \"the winter will not wait,\" {fhe} said.",
    ],
    [
        "then the first snow fell, and {H} had nothing [to eat|ready|in the house].", "then evening came, and nothing was done.",
        "suddenly, {E} was standing at the door. \"are you ready?\" {ehe} asked.",
    ],
    [
        "{H} was <badfeel>. \"i should have started earlier,\" {he} said.", "{H} shook with cold. {He_} knocked at {F}'s door.",
        "\"i forgot,\" said {H} [softly|in a small voice].",
    ],
    [
        "{F} could have said, \"i told you so.\" but {F} said, \"come in.\"", "\"then let us do it together,\" said {F}. \"it will go faster.\"",
        "\"i will help you this time,\" said {F}, ~\"and next time you will help me.\"",
    ],
    [
        "they sang while they worked, and it was [almost fun|done before {H} knew it].",
        "there was enough for both of them, and {H} told stories all winter long.", "{H} worked harder than ever before.",
    ],
    [
        "the next year, {H} was the first one to start.", "\"work is like a cold lake,\" said {H}. \"you only have to jump in.\"",
        "{H} never said \"tomorrow\" again. well, not very often.",
    ],
]

RESCUE = [
    [
        "near {P1}, {H} saw that {aT} was [stuck in the mud|caught in a net|hanging on a branch|in a deep hole].",
        "\"help!\" someone called. {H} ran to {P1}. there was {aT}, who could not get [out|down].",
        "one <tod>, {T} [fell into a hole|got stuck in {P1}] and could not get out.",
    ],
    [
        "{H} pulled as hard as {he} could, but {he} was too [weak|small].", "{H} tried to help, but alone {he} could not do it.",
        "\"hold on,\" said {H}. \"i will get help!\"",
    ],
    [
        "{He_} ran to {F}. \"come quickly!\" {he} said. {F} came at once.",
        "{He_} called {F}, and {F} called a <helper>, and the <helper> called another.", "{F} heard it and came running.",
    ],
    [
        "\"we need a rope,\" said {F}. \"or a long stick,\" said {H}.", "they pulled together: one, two, three! but it was not enough.",
        "{F} had an idea. \"if we put stones into the hole, you can climb out!\"",
    ],
    [
        "at last, with a loud plop, {T} was free.", "they pulled once more, with all their strength, and it worked.",
        "{T} climbed up, step by step, and was safe.",
    ],
    [
        "\"you saved me,\" said {T}. \"how can i thank you?\" \"it was nothing,\" said {H}.", "{T} was dirty and tired, but very happy.",
        "\"thank you, thank you!\" <cried> {T}, and {the} hugged them all.",
    ],
    [
        "{T} invited them to eat <food>, and they became friends.", "some time later, {H} was in trouble, and who came to help? it was {T}.",
        "since that day, nobody [goes to {P1} alone|walks past when somebody calls].",
    ],
]

SECRET = [
    [
        "{H} and {F} had a secret place near {P1}.", "behind {P1}, {H} found a little door. it was [locked|half open].",
        "one day, {H} saw footprints near {P1}. they were very small.",
    ],
    ["nobody else knew about it.", "\"who could live there?\" {H} wondered.", "{H} followed them <slowly>, past {P2}."],
    [
        "\"shall we go in?\" whispered {F}. \"you first,\" said {H}. \"no, you,\" said {F}.", "{He_} knocked. \"come in,\" said a tiny voice.",
        "{H} bent down and looked inside.",
    ],
    [
        "inside was a tiny room with a tiny table and a tiny bed. {aT} sat there and drank tea.",
        "there was a garden, full of {=colour} flowers that [hummed|shone in the dark].",
        "and what did {he} see? there was {aT}, who was [painting the leaves|feeding a family of mice|mending old toys].",
    ],
    [
        "\"please do not tell anyone,\" said {T}. \"i promise,\" said {H}.",
        "\"i have waited for you,\" said {T}. \"sit down and have some <food>.\"",
        "\"welcome,\" said {T}. \"only those who walk quietly find this place.\"",
    ],
    [
        "{T} showed them how to [talk to the birds|paint with rain|make a lamp from a firefly's light|listen to stones].",
        "they came back every day and helped with the work.", "they ate <food> and listened to stories that were older than the trees.",
    ],
    [
        "when they came out, it was evening, although it felt like five minutes.",
        "when {H} came back the next day, the door was gone. there was only a {=colour} feather.", "\"come again,\" said {T}.",
    ],
    [
        "{H} kept the secret all {his} life.", "sometimes, when <sky>, {H} can still hear the tiny voice.",
        "and nobody ever knew why {H} smiled when {he} walked past {P1}.",
    ],
]

PLOTS = [STORM, LEARN, JOURNEY, SOUP, QUARREL, MAP, GREED, BORED, NEWCOMER, HELPFUL, BEDTIME, WORK, RESCUE, SECRET]
