"""Plots in which little goes wrong."""

DAY = [
    [
        "in the morning, {H} [ate <food>|drank a cup of warm milk|washed {his} face|opened all the windows|put on {his} {=colour} hat] and went to {P1}.",
        "that morning, {H} found a {=colour} {=toy} near {P1}.", "first {H} went to {P1}, where <sky>.", "{H} had the whole day for {himself}.",
    ],
    [
        "{He_} [saw|met|greeted] {aF}, and they [talked about the weather|walked on together|shared <food>|laughed about nothing].",
        "there {he} [collected|counted] <number> [stones|leaves|shells|feathers|clouds].",
        "{He_} threw a stone into the water and watched the rings grow wider.",
        "{He_} [looked at|listened to|followed] the <insect> for a long time.",
    ],
    [
        "\"where are you going?\" asked {F}. \"[to {P2}|nowhere|to the end of the road|where the wind goes],\" said {H}. \"then i will come along,\" said {F}.",
        "\"what is your favourite colour?\" asked {F}. \"<colour>,\" said {H}. \"and yours?\" \"<colour>,\" said {F}.",
        "\"why is the sky [blue|so high|dark at night]?\" asked {H}. {F} thought for a while. \"[so that the stars can sleep|because the sea looks up at it|i do not know, but it is pretty],\" {fhe} said.",
        "\"listen,\" said {F}. they stood still and heard [the wind in the leaves|a far bell|their own hearts|the grass grow, or nearly].",
    ],
    [
        "at noon, they ate <food> near {P2}.", "near {P2}, they found a <treasure>. nobody knew whose it was, so they left it there.",
        "then the rain came, and they sat under a <tree> and told stories.", "they climbed a hill and could see {P3} from there.",
    ],
    [
        "in the afternoon, {H} [helped {T} to carry wood|learned a new song|fell asleep in the sun|painted a picture of {F}|built a tower of stones].",
        "they played <game> until they were tired.", "{aT} came by and showed them [a trick|a bird's nest|the way to {P4}|how to whistle].",
    ],
    [
        "when it grew dark, they went home.", "the sun went down, [red and big|behind {P3}|slowly], and the first star came out.",
        "in the evening, {E} asked, \"what did you do today?\" \"nothing,\" said {H}, ~\"and it was wonderful.\"",
    ],
]

TRADE = [
    [
        "{H} had an old {=toy}, and one <tod> {he} took it to the market.", "\"please go to the market and sell this {=toy},\" said {E}.",
        "{H} wanted a {=treasure}, but {he} had only an old {=toy}.",
    ],
    [
        "on the way, {he} met {aF}. \"i need a {=toy},\" said {F}. \"i will give you <number> <treat>s for it.\" \"very well,\" said {H}.",
        "{aF} looked at the {=toy}. \"will you trade it for my <treasure>?\" {fhe} asked. {H} said yes.",
    ],
    [
        "next {he} met {aT} who was [hungry|tired|sad]. so {H} traded again, and now {he} had a [goose|blanket|basket of plums|pair of shoes].",
        "then {T} wanted what {he} had, and gave {him} a [pot|rope|little bird] for it.",
    ],
    [
        "so it went on, until {H} had only [a button|a feather|a small stone|a nut] left.",
        "at the end of the day, {H} stood there with [a song|a seed|a shell] in {his} hand.",
    ],
    ["everyone laughed at {him}. \"you made a bad trade!\" they said.", "\"what will {E} say?\" {he} thought, and {he} was <badfeel>."],
    [
        "but {F} was so glad about the {=toy} that {fhe} came to {his} house with [<food>|a present].",
        "but {T} came running. \"you helped me when i needed it,\" {the} said. \"now i will help you.\"",
        "but {E} looked at it and smiled. \"this is just what we needed,\" {ehe} said.",
    ],
    [
        "\"i have less than before,\" said {H}, ~\"but i have [<number>|two] new friends.\"",
        "and {H} was <goodfeel>, for {he} had never wanted to be rich.", "\"the best trade,\" said {E}, ~\"is one after which both are happy.\"",
    ],
]

PAINT = [
    [
        "one <tod>, {H} found some old pots of paint. there was <colour>, <colour> and <colour>.",
        "everything near {P1} was grey, and {H} did not like it.", "{H} wanted to paint {P1}.",
    ],
    [
        "{He_} [took a brush|dipped {his} finger into the paint] and began.",
        "\"what a lovely {=colour},\" said {H}, and {he} painted a [door|stone|big flower|sun|fish].",
    ],
    [
        "{F} came by. \"that is not how a tree looks,\" {fhe} said. \"trees are green.\" \"mine is {=colour},\" said {H}.",
        "\"may i paint, too?\" asked {F}. \"take a brush,\" said {H}.",
    ],
    [
        "then a pot fell over, and the paint ran [everywhere|down the road|into the water].",
        "soon there was paint on {his} nose, on {his} ears and on {F}.", "but the <colour> and the <colour> ran together. \"oh no!\" said {H}.",
    ],
    [
        "\"look!\" <cried> {F}. \"it makes a new colour!\"", "{E} came out of the house and looked. nobody said a word.",
        "{T} stopped and looked. \"it is [strange|wild],\" {the} said.",
    ],
    [
        "then everyone began to laugh, and {E} took a brush, too.", "\"i have never seen anything so [bright|cheerful],\" said {T}.",
        "the next day, people came from far away to see it.",
    ],
    [
        "since then, {P1} has been {=colour}.", "\"it does not have to be right,\" said {H}. \"it only has to be ours.\"",
        "and when the rain washed it off, they painted it again.",
    ],
]

SNOW = [
    [
        "one winter morning, everything was white. \"snow!\" <cried> {H}.", "in the night, snow had fallen. {P1} was white and quiet.",
        "{H} had never seen snow before.",
    ],
    [
        "{He_} [ran outside|put on {his} boots|jumped into it]. it was cold and soft.", "{He_} caught a snowflake with {his} tongue.",
        "{F} was already outside. \"come and play!\" {fhe} <cried>.",
    ],
    [
        "they made a snowman with [a carrot nose|stones for eyes|an old hat]. \"he looks like {E},\" said {H}, and they laughed.",
        "they went up the hill with a sledge and came down again, faster and faster.", "they threw snowballs until {F} was white all over.",
    ],
    [
        "then {H} saw small footprints in the snow. \"who was here?\" {he} asked.",
        "\"i am cold,\" said a little voice. a <smallanimal> sat in the snow.", "then {F} lost {fhis} mitten, and they looked for it everywhere.",
    ],
    ["they followed them to {P2}. there sat {aT} with [cold feet|a red nose].", "{H} put {his} scarf around it and took it home."],
    [
        "at home, there was [hot soup|warm milk with honey|a fire]. {E} hung up their wet things.",
        "they sat by the fire and drank tea. outside, it went on snowing.",
    ],
    [
        "the next day, the sun came out and the snow [melted|dripped from the roof]. \"goodbye, snowman,\" said {H}. \"come back next year.\"",
        "\"i like winter,\" said {H}, ~\"because it is so warm inside.\"",
    ],
]

LETTER = [
    [
        "one <tod>, the wind brought a letter to {H}. it had no name on it.", "{H} found a letter in a bottle near {P1}.",
        "the postman brought a letter for {H}. {He_} had never had a letter before.",
    ],
    [
        "\"i am alone,\" it said. \"who will write to me?\"", "\"dear friend,\" it said, \"i do not know you, but i hope you are well.\"",
        "the words were hard to read. {H} read it twice.",
    ],
    [
        "{H} took a pencil and wrote, \"my name is {name}. i am a {kind}, and i like <food>.\"",
        "{He_} asked {F} to help {him}. together they wrote an answer.", "{He_} did not know what to write, so {he} drew a picture of {P1}.",
    ],
    [
        "{He_} gave the letter to the wind, and the wind took it away.", "{He_} put it back into the bottle and threw it into the water.",
        "days went by, and {H} waited.",
    ],
    [
        "then a second letter came, and a third. each one had something in it: a feather, a leaf, a tiny shell.",
        "at last, an answer came. \"i am so happy,\" it said. \"now i have a friend.\"",
    ],
    [
        "\"may i visit you?\" asked {H} in the last letter. \"yes,\" was the answer, \"follow the river.\"",
        "one <weather> <tod>, somebody knocked at the door. it was {aT} with a bag full of letters.",
    ],
    [
        "\"are you the one who wrote to me?\" asked {H}. \"yes,\" said {T}. \"and you look just like your letters.\"",
        "they did not know each other, and yet they knew everything about each other.",
    ],
    ["since then, they have written to each other every week.", "{H} still keeps all the letters in a box."],
]

BAND = [
    [
        "{H} could play the [drum|flute|fiddle], but nobody wanted to listen.", "{H} loved music. {He_} played on pots and pans all day.",
        "{H} sang all day long, and {he} sang very loud.",
    ],
    [
        "\"stop that noise!\" said {T}. \"nobody can sleep.\"", "the neighbours shut their windows.",
        "so {H} took a bag and left. \"i will find someone who likes music,\" {he} said.",
    ],
    [
        "on the road, {he} met {aF} with a [fiddle|whistle|horn]. \"nobody likes my playing,\" said {F}. \"then come with me,\" said {H}.",
        "near {P2} sat {aF}, who could [whistle|hum|play the harp]. \"shall we play together?\" asked {H}.",
    ],
    [
        "first it sounded [terrible|like rain on tin|like two cats]. each played something else.",
        "\"wait,\" said {F}. \"we must listen to each other.\"",
    ],
    ["they tried again, and slowly it became a song.", "{H} played softly, and {F} played high, and it sounded like a spring morning."],
    [
        "a <helper> stopped and listened. then came a <smallanimal>, then another.", "soon everyone near {P3} was dancing.",
        "even {T} came and tapped {this} foot.",
    ],
    ["\"play it again!\" they <cried>, and they played until the moon came up.", "\"i did not know that music could be like this,\" said {T}."],
    ["now they play every [evening|summer], and all the windows are open.", ""],
]

SAD_KING = [
    ["{Hk} could not laugh any more. nobody knew why.", "one day, {H} was so sad that {he} did not want to get up.", "nothing could make {H} laugh."],
    [
        "{E} brought <food>, but {H} did not eat.", "they brought {him} flowers, they sang songs, and they danced. {H} only sighed.",
        "a doctor came and looked at {his} tongue. \"{He_} needs something funny,\" said the doctor.",
    ],
    [
        "{aT} juggled with <number> eggs. they all fell down. {H} did not laugh.",
        "{T} the old clown stood on {this} head. {H} looked out of the window.",
    ],
    ["then {aF} came by, who only wanted to ask the way to {P2}.", "one <tod>, {F} sat down beside {him} and said nothing at all."],
    [
        "{F} did not try to be funny. {fhe} asked, \"what makes you sad?\" ^nobody had asked that before.",
        "\"do you want to tell me about it?\" asked {F}.",
    ],
    [
        "\"i am always alone,\" said {H}. \"everyone wants me to laugh, but nobody wants to talk to me.\"",
        "{H} talked and talked, until the sun went down, and {F} listened.",
    ],
    [
        "when {F} stood up, {fhe} [sat in a pot of jam|slipped on a banana peel|had a <smallanimal> on {fhis} head]. {H} looked at {fhim}, and {his} mouth began to twitch.",
        "then {F} said, \"i talk to my <toy> when i am sad. it never answers.\" {H} had to smile.",
    ],
    [
        "and then {he} laughed, until {his} stomach hurt, and everyone laughed with {him}.",
        "it was a small laugh, but it was the first one in a year.",
    ],
    ["\"please come back tomorrow,\" said {H}, and {F} did.", ""],
]

FOG = [
    ["thick fog lay over {P1}. nobody could see {his} own hand.", "one night, fog came up, as thick as [milk|wool|soup]."],
    [
        "\"listen!\" said {H}. somebody was calling out there.", "{H} knew that {F} was still out there.",
        "\"i cannot find the way!\" called {aF} from far away.",
    ],
    [
        "{H} took a lantern and held it up as high as {he} could.", "{H} rang a bell, again and again. ding, dong!",
        "{H} sang as loud as {he} could, so that {F} could follow the song.",
    ],
    ["{His_} arms grew tired, but {he} did not stop.", "it was cold and wet, but {H} stayed where {he} was.", "hours went by. the light grew small."],
    [
        "{T} came and said, \"you should sleep.\" \"not yet,\" said {H}. \"then i will help you,\" said {T}.",
        "at last, {he} heard steps. \"i can see the light!\" <cried> a voice.",
    ],
    [
        "out of the fog came {F}, wet and tired and happy.", "and there was {F}! {fhe} fell into {his} arms.",
        "one after the other, they came out of the fog: first {F}, then a <smallanimal>, then a <helper>.",
    ],
    ["\"without you, we would still be out there,\" said {F}.", "\"it was only a small light,\" said {H}. \"a small light is enough,\" said {F}."],
    [
        "since that night, a lantern has always hung near {P1}.",
        "they drank hot tea and looked out into the fog, which did not seem so thick any more.",
    ],
]

EGG = [
    ["near {P1}, {H} found an egg. it was [blue|as big as a ball|still warm|very round].", "one <tod>, there was an egg in front of {his} door."],
    ["\"whose egg is it?\" {he} asked. the hen shook her head. the duck shook her head.", "{He_} asked everyone, but nobody had lost an egg."],
    ["\"it must be kept warm,\" said {F}. so {H} put it under {his} [blanket|hat|coat].", "{H} sat down on it, very carefully. {F} laughed."],
    [
        "{He_} did not go out to play, and {he} did not go to the fair. {He_} stayed with the egg.",
        "at night, {he} sang to it, and sometimes it moved a little.",
    ],
    ["one morning, there was a crack. then there was another.", "crack! \"{fcall}, come quickly!\" <cried> {H}."],
    [
        "a tiny head looked out. it was a little [duckling|dragon|bird|turtle]. \"mama?\" it said.",
        "out came something wet and small, and it looked at {H} with big eyes.",
    ],
    ["\"i am not your mama,\" said {H}. \"but i can be your friend.\"", "it followed {him} everywhere: to {P2}, to {P3}, and even to bed."],
    [
        "it grew and grew, until it was [bigger than {H}|ready to fly]. then it spread its wings.",
        "{H} showed it how to eat, how to [swim|run|say thank you], and how to sleep through the night.",
    ],
    ["\"will you forget me?\" asked {H}. \"never,\" it said.", "every spring, it comes back and sits in front of {his} door."],
]

PLOTS = [DAY, TRADE, PAINT, SNOW, LETTER, BAND, SAD_KING, FOG, EGG, DAY]  # a day twice, for it is the one with the most forms
